package gemini_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/gemini"
)

// canned answers all requests with the same bytes.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(c)), Request: r}, r.Body.Close()
}

func seed(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*", pattern))
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
}

// check reads what a server might send: an answer, which can be kept and sent back, or an error of the model.
func check(t *testing.T, text []byte, streaming bool) {
	t.Helper()
	m := &gemini.Model{Name: "gemini-3-flash", APIKey: "test-key", HTTPClient: &http.Client{Transport: canned(text)}}
	req := request(abi.Human("hi"))
	req.Tools = []abi.ToolSpec{{Name: "get_weather"}}
	req.Format = &model.Format{Name: "x", Schema: rawOf(t, `{"type":"object"}`)}
	resp, err := ask(t.Context(), m, req, streaming)
	if err != nil {
		require.Nil(t, resp)
		require.NotEmpty(t, failure(t, err).Error())
		return
	}
	encoded, err := resp.AI().MarshalMsg(nil)
	require.NoError(t, err)
	var kept abi.Message
	_, err = kept.UnmarshalMsg(encoded)
	require.NoError(t, err)
	for i := range kept.ToolCalls {
		require.NotEmpty(t, kept.ToolCalls[i].Name)
		require.True(t, kept.ToolCalls[i].Args.IsMap())
	}
	m = &gemini.Model{Name: "gemini-3-flash", APIKey: "test-key", HTTPClient: &http.Client{Transport: canned(hello)}}
	_, err = m.Generate(t.Context(), request(abi.Human("hi"), kept, abi.Human("go on")))
	require.NoError(t, err)
}

func FuzzResponse(f *testing.F) {
	seed(f, "*.json")
	f.Fuzz(func(t *testing.T, text []byte) { check(t, text, false) })
}

func FuzzStream(f *testing.F) {
	seed(f, "*.sse")
	f.Fuzz(func(t *testing.T, text []byte) { check(t, text, true) })
}

// FuzzHistory sends messages of any form, with one that answers their calls.
func FuzzHistory(f *testing.F) {
	for _, document := range []string{
		`{"role":"ai","content":[{"type":"text","text":"","thought_signature":"AA=="},{"type":"gemini_x","part":{}}],"tool_calls":[{"id":"1","name":"f","args":{}}],
			"meta":{"provider":"gemini","gemini_calls":[{"name":"f","id":"1"}]}}`,
		`{"role":"human","content":[{"type":"image","url":"data:image/png;base64,AA=="},{"type":"file","name":7},{"type":"reasoning"}]}`,
		`{"role":"tool","tool_call_id":"1","content":[{"type":"image","url":"://"}],"status":"error"}`,
		`{"role":"ai","content":"","invalid_tool_calls":[{"id":"1","name":"","args":"{"}],"meta":{"gemini_calls":{"a":1}}}`,
	} {
		raw, err := wire.FromJSON([]byte(document), wire.Limits{})
		require.NoError(f, err)
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var message abi.Message
		if _, err := message.UnmarshalMsg(encoded); err != nil {
			return
		}
		answer := tool("1", "f", "result")
		if len(message.ToolCalls) > 0 {
			answer.ToolCallID = message.ToolCalls[0].ID
		}
		for _, name := range []string{"gemini-2.5-flash", "gemini-3-flash"} {
			m := &gemini.Model{Name: name, APIKey: "test-key", HTTPClient: &http.Client{Transport: canned(hello)}}
			_, err := m.Generate(t.Context(), request(message, answer, message))
			require.NoError(t, err)
		}
	})
}
