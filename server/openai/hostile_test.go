package openai_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHostileBodies(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.client = &http.Client{Transport: &http.Transport{}} // these requests do not fit the description
	t.Cleanup(r.client.CloseIdleConnections)
	chats := map[string]string{
		``: "", `[`: "", `[]`: "", `null`: "", `{}`: "model", `{"model":1}`: "", `{"model":"agent"}`: "messages", `{"model":"agent","messages":[]}`: "messages",
		`{"model":"agent","messages":{}}`: "", `{"model":"agent","messages":[{}]}`: "messages[0].role",
		`{"model":"agent","messages":[{"role":"robot","content":"x"}]}`:                                                                                          "messages[0].role",
		`{"model":"agent","messages":[{"role":"user","content":5}]}`:                                                                                             "messages[0].content",
		`{"model":"agent","messages":[{"role":"user","content":[5]}]}`:                                                                                           "messages[0].content",
		`{"model":"agent","messages":[{"role":"tool","content":"x"}]}`:                                                                                           "messages[0]",
		`{"model":"agent","messages":[{"role":"assistant","function_call":{}}]}`:                                                                                 "messages[0]",
		`{"model":"agent","messages":[{"role":"user","content":"x"}],"n":2}`:                                                                                     "n",
		`{"model":"agent","messages":[{"role":"user","content":"x"}],"functions":[]}`:                                                                            "functions",
		`{"model":"agent","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function"}]}`:                                                             "tools",
		`{"model":"agent","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"a b"}}]}`:                                   "",
		`{"model":"agent","messages":[{"role":"user","content":"x"}],"response_format":5}`:                                                                       "response_format",
		`{"model":"agent","messages":[{"role":"user","content":"x"}],"response_format":{"type":"xml"}}`:                                                          "response_format",
		`{"model":"structured","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema"}}`:                                             "response_format",
		`{"model":"structured","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"schema":{"type":7}}}}`:         "response_format",
		`{"model":"agent","messages":[{"role":"user","content":"x"}],"metadata":{"a":1}}`:                                                                        "",
		`{"model":"agent","messages":[{"role":"user","content":"` + strings.Repeat("[", 10) + `"}],"metadata":{"thread_id":"` + strings.Repeat("x", 600) + `"}}`: "metadata.thread_id",
		`{"model":"agent","messages":[{"role":"user","content":"x"}],"metadata":{"thread_id":"a\nb"}}`:                                                           "metadata.thread_id",
		`{"model":"agent","messages":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`:                                                               "",
		"{\"model\":\"agent\",\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}":                                                                          "",
	}
	for body, param := range chats {
		e := r.refused(http.StatusBadRequest, "POST", "/v1/chat/completions", body)
		if param != "" {
			require.Equal(t, param, e["param"], body)
		}
	}
	for body, param := range map[string]string{
		`{}`: "model", `{"model":"agent"}`: "input", `{"model":"agent","input":5}`: "input", `{"model":"agent","input":[]}`: "input",
		`{"model":"agent","input":[{"type":"item_reference","id":"x"}]}`:                              "input[0].type",
		`{"model":"agent","input":[{"role":"tool","content":"x"}]}`:                                   "input[0].role",
		`{"model":"agent","input":[{"role":"user","content":[{"type":"input_file","file_id":"f"}]}]}`: "input[0].content",
		`{"model":"agent","input":"x","prompt":{}}`:                                                   "prompt",
		`{"model":"agent","input":"x","instructions":[]}`:                                             "instructions",
		`{"model":"agent","input":"x","tools":[{"type":"web_search"}]}`:                               "tools",
		`{"model":"agent","input":"x","conversation":{}}`:                                             "conversation",
		`{"model":"agent","input":"x","text":{"format":{"type":"json_object"}}}`:                      "text.format",
	} {
		require.Equal(t, param, r.refused(http.StatusBadRequest, "POST", "/v1/responses", body)["param"], body)
	}
	for _, path := range []string{"?stream=true&starting_after=x", "/input_items?limit=0", "/input_items?limit=x"} {
		one := r.get("POST", "/v1/responses", input("hi", "background", true))
		r.refused(http.StatusBadRequest, "GET", "/v1/responses/"+one["id"].(string)+path, nil) //nolint:forcetypeassert // a test
	}
	require.Equal(t, "You said: fine", said(r.chat(user("fine"))), "the server still works")
}

func TestLimitsHaveOpenAIsErrors(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {body: 2KiB, streams_per_owner: 1, runs_per_owner: 2}")
	r.client = &http.Client{Transport: &http.Transport{}}
	t.Cleanup(r.client.CloseIdleConnections)
	response, e := r.do("POST", "/v1/chat/completions", user(strings.Repeat("x", 3000)))
	require.Equal(t, http.StatusRequestEntityTooLarge, response.status)
	require.NotEmpty(t, at(e, "error", "message"))

	stream := r.send(t.Context(), "POST", "/v1/chat/completions", user("block", "stream", true))
	<-r.began
	response, e = r.do("POST", "/v1/chat/completions", user("hi"))
	require.Equal(t, http.StatusTooManyRequests, response.status)
	require.Equal(t, "rate_limit_error", at(e, "error", "type"))
	require.NotEmpty(t, response.header.Get("Retry-After"))
	close(r.let)
	r.frames(stream)
}

// A server that stops ends its streams with an error, since a client takes what it has for the whole otherwise.
func TestDrain(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/chat/completions", "/v1/responses"} {
		r := setup(t, "{}")
		body := user("block", "stream", true, "input", "block")
		stream := r.send(t.Context(), "POST", path, body)
		<-r.began
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			r.stop(ctx)
		}()
		text, err := io.ReadAll(stream.body)
		require.NoError(t, err)
		require.Contains(t, string(text), "The server is stopping", path)
		require.NotContains(t, string(text), "[DONE]")
		<-stopped
	}
}
