package agui_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzInput holds for every input: the answer is not a failure of the server, and no panic.
func FuzzInput(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"hi"}]}`,
		`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"image","source":{"type":"url","value":"x"}}]}],"state":{"count":"x"}}`,
		`{"threadId":"t","runId":"r","messages":[{"id":"2","role":"assistant","toolCalls":[{"id":"c","function":{"name":"x","arguments":"{"}}]}],"context":[{"description":"d"}]}`,
		`{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"locate","parameters":{"type":"object"}}],"forwardedProps":{"command":{"resume":"{\"ask-1-1\":1}"},"model":"m"}}`,
		`{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"breakpoint","status":"cancelled"},{"interruptId":"ask-1-1","status":"resolved","payload":{"approved":true}}]}`,
	} {
		f.Add(text)
	}
	r := setup(f, "limits: {requests_per_second: 1000000, burst: 1000000, runs_per_owner: 1000000, run_timeout: 1s}")
	r.client = &http.Client{Transport: &http.Transport{}} // bodies need not be those that are described
	f.Fuzz(func(t *testing.T, body string) {
		if strings.Contains(body, "block") { // the tool waits
			t.Skip()
		}
		one := *r
		one.t = t
		response := one.send(t.Context(), "agent", body)
		text, err := io.ReadAll(response.body)
		require.NoError(t, err)
		require.NoError(t, response.body.Close())
		require.Less(t, response.status, http.StatusInternalServerError, "%s: %s", body, text)
		if response.status == http.StatusOK {
			require.Contains(t, string(text), `"type":"RUN_STARTED"`)
			require.NotContains(t, string(text), `"code":"unreadable"`)
		}
	})
}
