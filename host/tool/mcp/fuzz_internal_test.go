package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// Whatever a server says a schema is: it is refused, or can be checked against.
func FuzzParameters(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object"}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"integer"}}}`, `{"$ref":"#"}`,
		`{"properties":{"a":{"anyOf":[{"$ref":"#"},true]}},"required":["a"]}`, `{"items":[{"pattern":"("}]}`, `[]`, `{"$ref":"#/a~1b"}`,
		`{"properties":{"a":null}}`, `{"items":[{},null],"anyOf":[null]}`,
	} {
		f.Add([]byte(seed), []byte(`{"a":{"a":1}}`))
	}
	f.Fuzz(func(t *testing.T, text, value []byte) {
		var given any
		if json.Unmarshal(text, &given) != nil {
			return
		}
		raw, err := parametersOf(given)
		if err != nil {
			return
		}
		compiled, err := schema.Compile(raw)
		require.NoError(t, err, "a host takes it")
		again, err := parametersOf(jsonValue(t, raw.JSON()))
		require.NoError(t, err)
		require.Equal(t, raw, again, "it is plain already")
		if args, err := wire.FromJSON(value, wire.Limits{}); err == nil {
			_ = compiled.Validate(args)
		}
	})
}

func jsonValue(t *testing.T, text string) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return value
}

// Whatever a server writes: it is read to its end, without a panic, and what is read are messages.
func FuzzLines(f *testing.F) {
	f.Add([]byte("hello\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\r\n\n{\"jsonrpc\":"))
	f.Fuzz(func(t *testing.T, written []byte) {
		l := newLines(bytes.NewReader(written), io.Discard, func() error { return nil }, func(string, ...any) {})
		for {
			message, err := l.Read(context.Background())
			if err != nil {
				break
			}
			require.NotNil(t, message)
		}
		require.NoError(t, l.Close())
		<-l.over
	})
}

// Whatever a result is: the answer of it is bounded.
func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"äöü"},{"type":"image","mimeType":"image/png","data":"AAAA"}]}`), 5)
	f.Add([]byte(`{"content":[{"type":"resource","resource":{"uri":"a","text":"b"}},{"type":"resource_link","uri":"x"}],"structuredContent":[1]}`), 100)
	f.Add([]byte(`{"content":[],"structuredContent":{"a":1}}`), 0)
	f.Fuzz(func(t *testing.T, text []byte, most int) {
		result, err := guarded(func() (*sdk.CallToolResult, error) {
			var r sdk.CallToolResult
			return &r, json.Unmarshal(text, &r)
		})
		if err != nil || most < 0 || most > 1000 {
			return
		}
		c := &call{tool: &tool{server: &Server{config: Config{MaxResult: most}}}}
		out := c.output(result)
		said := 0
		for _, b := range out.Content.Blocks() {
			if b.Type() == abi.BlockText {
				said += len(b.Text())
			}
		}
		require.LessOrEqual(t, said, most+(maxBlocks+2)*(maxNote+len(text)), "notes are short")
		require.NotContains(t, out.Content.Text(), "\xff")
	})
}

// maxNote is more than a remark of ours has beside what it quotes.
const maxNote = 200

func TestLinesAreBounded(t *testing.T) {
	t.Parallel()
	line, err := readLine(bufio.NewReader(strings.NewReader(strings.Repeat("x", maxMessage) + "\nnext\n")))
	require.Nil(t, line)
	require.EqualError(t, err, "the server sent a message of more than 8388608 bytes")
	line, err = readLine(bufio.NewReader(strings.NewReader("a")))
	require.Equal(t, "a", string(line))
	require.ErrorIs(t, err, io.EOF)
}
