package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/cloudservers"
)

// A newcomer with credentials of AWS in the environment, and no key of Anthropic, gets an answer.
func TestAnAgentOnBedrock(t *testing.T) { //nolint:paralleltest // it sets the environment
	for _, name := range []string{"AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE", "AWS_DEFAULT_REGION", "ANTHROPIC_API_KEY"} {
		t.Setenv(name, "")
	}
	account := &cloudservers.AWS{KeyID: "ASIAIOSFODNN7EXAMPLE", Secret: "secret-access-key", Session: "token-of-the-session", Region: "eu-central-1"}
	for name, value := range account.Variables() {
		t.Setenv(name, value)
	}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("X-Amz-Security-Token")
		if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), `"stream":true`) {
			_, _ = fmt.Fprintf(w, `{"type":"message","content":[{"type":"text","text":"You sent %s."}],"stop_reason":"end_turn"}`, token)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{
			`{"type":"message_start","message":{"content":[]}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"You sent %s."}}`, token),
			`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`,
		} {
			_, _ = io.WriteString(w, "data: "+event+"\n\n")
		}
	}))
	t.Cleanup(upstream.Close)
	s := cloudservers.Bedrock(t, upstream.URL, account)
	b := setup(t, fmt.Sprintf(`apiVersion: agenthost/v1
model: {provider: bedrock, name: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", base_url: %q, trust_base_url: true}
`, s.URL))
	require.Equal(t, exitOK, b.run("validate"), &b.err)
	for _, form := range []string{"text", "json", "jsonl"} {
		require.Equal(t, exitOK, b.run("run", "--output", form, "Hello"), &b.err)
		require.Contains(t, b.out.String(), "You sent ***.", "the session's token is known from the first request on, and hidden")
		require.NotContains(t, b.out.String()+b.err.String(), account.Session)
	}
	found := b.examined(exitOK, "--online")
	require.Contains(t, found["model"].Found, "credentials from AWS_ACCESS_KEY_ID authorize requests to 127.0.0.1")
	require.Contains(t, found["model, asked"].Found, "the model answered in")

	b.write("agenthost.yaml", fmt.Sprintf("apiVersion: agenthost/v1\nmodel: {provider: bedrock, name: anthropic.claude-haiku-4-5-v1:0, base_url: %q}\n", s.URL))
	found = b.examined(exitOK)
	require.Contains(t, found["model"].Found, "gets no credentials, because it is not a host of the cloud")
	require.Contains(t, found["model"].Remedy, "trust_base_url: true")
	require.Equal(t, exitProvider, b.run("run", "Hello"))
	require.Contains(t, b.err.String(), "bedrock: authentication (HTTP 403)")
	require.Contains(t, b.err.String(), "to send it signed requests, set trust_base_url: true")

	b.write("agenthost.yaml", "apiVersion: agenthost/v1\nmodel: bedrock:anthropic.claude-haiku-4-5-v1:0\n")
	found = b.examined(exitOK)
	require.Contains(t, found["model"].Found, "authorize requests to bedrock-runtime.eu-central-1.amazonaws.com")
}
