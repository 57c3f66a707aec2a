package tokencount_test

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin/internal/tokencount"
	"github.com/agenthost/agenthost/host/history"
)

// message is a message of testdata/counts.json.
type message struct {
	Role       abi.Role `json:"role"`
	Content    string   `json:"content"`
	Name       string   `json:"name"`
	ToolCallID string   `json:"tool_call_id"`
	Provider   string   `json:"provider"`
	Usage      *uint64  `json:"usage"`
	ToolCalls  []struct {
		ID   string   `json:"id"`
		Name string   `json:"name"`
		Args wire.Raw `json:"args"`
	} `json:"tool_calls"`
}

func (m *message) abi() abi.Message {
	out := abi.Message{Role: m.Role, Content: abi.Text(m.Content), Name: m.Name, ToolCallID: m.ToolCallID}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, abi.ToolCall{ID: call.ID, Name: call.Name, Args: call.Args})
	}
	if m.Provider != "" {
		out.Meta.Set("provider", wire.String(m.Provider))
	}
	if m.Usage != nil {
		out.Usage = &abi.Usage{TotalTokens: *m.Usage}
	}
	return out
}

// The counts of testdata/counts.json were recorded from langchain-core 1.7.2.
func TestCountsAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/counts.json")
	require.NoError(t, err)
	var cases []struct {
		Messages  []message `json:"messages"`
		Four      int       `json:"four"`
		Anthropic int       `json:"anthropic"`
		Scaled    int       `json:"scaled"`
	}
	require.NoError(t, json.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	for i, test := range cases {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			var list history.List
			for i := range test.Messages {
				list = list.Append(test.Messages[i].abi())
			}
			each := func(m *abi.Message) int { return tokencount.Message(m, tokencount.CharsPerToken) }
			total, anthropic := 0, 0
			for _, m := range list.All() {
				total += each(m)
				anthropic += tokencount.Message(m, tokencount.CharsPerTokenOfAnthropic)
			}
			require.Equal(t, test.Four, total)
			if test.Anthropic != 0 {
				require.Equal(t, test.Anthropic, anthropic)
			}
			if test.Scaled != 0 {
				require.Equal(t, test.Scaled, int(math.Ceil(float64(total)*tokencount.Scale(list, each))))
			}
		})
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	base := tokencount.Message(&abi.Message{Role: abi.RoleHuman}, tokencount.CharsPerToken)
	for name, test := range map[string]struct {
		content abi.Content
		more    int // tokens than an empty message has
	}{
		"texts":             {abi.Blocks(abi.TextBlock("12345678"), abi.TextBlock("1234")), 3},
		"image of any size": {abi.Blocks(abi.ImageBlock("image/png", make([]byte, 1<<20))), 85},
		"image elsewhere":   {abi.Blocks(abi.ImageURLBlock("https://example.com/a.png"), abi.TextBlock("1234")), 86},
		"file, as base64":   {abi.Blocks(abi.FileBlock("a.pdf", "application/pdf", make([]byte, 3000))), 1021},
		"reasoning":         {abi.Blocks(abi.ReasoningBlock("1234567890", "")), 12},
	} {
		m := abi.Message{Role: abi.RoleHuman, Content: test.content}
		require.Equal(t, base+test.more, tokencount.Message(&m, tokencount.CharsPerToken), name)
	}
}

// Arguments of any form are counted without an allocation, whatever their size.
func TestMessageAllocatesNothing(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	m := abi.AI("a text", abi.Call("call_1", "write_file", map[string]any{
		"path": "a.txt", "content": strings.Repeat("a line with 'quotes'\n", 10_000), "mode": map[string]any{"n": 7, "x": []any{1.5, nil, true}},
	}))
	require.Zero(t, testing.AllocsPerRun(10, func() { tokencount.Message(&m, tokencount.CharsPerToken) }))
}

// The estimate is at least one token for each message, and grows with its text.
func TestMessageGrows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, more := rapid.String().Draw(t, "text"), rapid.String().Draw(t, "more")
		short, long := abi.Human(text), abi.Human(text+more)
		n := tokencount.Message(&short, tokencount.CharsPerToken)
		require.Positive(t, n)
		require.GreaterOrEqual(t, tokencount.Message(&long, tokencount.CharsPerToken), n)
		asArgument := abi.AI("", abi.Call("1", "t", map[string]any{"a": text}))
		longArgument := abi.AI("", abi.Call("1", "t", map[string]any{"a": text + more}))
		require.GreaterOrEqual(t,
			tokencount.Message(&longArgument, tokencount.CharsPerToken), tokencount.Message(&asArgument, tokencount.CharsPerToken))
	})
}

func FuzzMessage(f *testing.F) {
	m := abi.AI("x", abi.Call("1", "t", map[string]any{"a": "it's", "b": []any{1.5, nil}}))
	valid, err := m.MarshalMsg(nil)
	require.NoError(f, err)
	f.Add(valid)
	f.Fuzz(func(t *testing.T, data []byte) {
		if wire.Validate(data, wire.Limits{}) != nil {
			return
		}
		var m abi.Message
		if _, err := m.UnmarshalMsg(data); err != nil {
			return
		}
		require.Positive(t, tokencount.Message(&m, tokencount.CharsPerToken))
	})
}
