package openai_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever a client sends, the answer is a document or a stream, and never a failure of the server.
func FuzzBody(f *testing.F) {
	r := setup(f, "limits: {requests_per_second: 100000, burst: 100000}")
	r.client = &http.Client{Transport: &http.Transport{}}
	f.Cleanup(r.client.CloseIdleConnections)
	for _, seed := range []string{
		`{"model":"agent","messages":[{"role":"user","content":"hi"}],"input":"hi"}`,
		`{"model":"agent","stream":true,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:a/b;base64,aGk="}}]}],"input":[]}`,
		`{"model":"structured","messages":[{"role":"assistant","tool_calls":[{"id":"x","function":{"name":"y","arguments":"{"}}]}],"response_format":{"type":"json_object"}}`,
		`{"model":"agent","input":[{"type":"function_call","call_id":"x"},{"type":"function_call_output","call_id":"x","output":"y"}],"metadata":{"thread_id":"t","resume":"x"}}`,
	} {
		f.Add(true, seed)
		f.Add(false, seed)
	}
	f.Fuzz(func(t *testing.T, chat bool, body string) {
		own := *r
		own.t = t
		path := "/v1/responses"
		if chat {
			path = "/v1/chat/completions"
		}
		if len(body) > 10000 {
			return
		}
		response := own.send(t.Context(), "POST", path, body)
		text, err := io.ReadAll(response.body)
		require.NoError(t, err)
		if response.status >= http.StatusInternalServerError {
			require.Contains(t, string(text), `"code":"`, "only a run may fail: %s", text)
		}
	})
}
