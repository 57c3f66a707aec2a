package openai_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModels(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	list := r.get("GET", "/v1/models", nil)
	require.Equal(t, "list", list["object"])
	require.Len(t, list["data"], 2)
	require.Equal(t, "agent", at(list, "data", 0, "id"))
	require.Equal(t, "model", r.get("GET", "/v1/models/structured", nil)["object"])
	require.Equal(t, "model_not_found", r.refused(404, "GET", "/v1/models/nobody", nil)["code"])

	made := r.send(t.Context(), "POST", "/assistants", doc{"graph_id": "agent", "name": "mine"})
	require.Equal(t, http.StatusOK, made.status)
	list = r.get("GET", "/v1/models", nil)
	require.Len(t, list["data"], 3)
	require.Equal(t, "mine", at(list, "data", 2, "name"))
	id := at(list, "data", 2, "id")
	require.Equal(t, "You said: hi", said(r.chat(user("hi", "model", id))), "an assistant is a model, too")
}

func TestAChatCompletion(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	c := r.chat(user("weather Bern", "temperature", 0.5, "max_tokens", 3))
	require.Equal(t, "I look.\n\nThe tool said: sunny in Bern", said(c))
	require.Equal(t, "chat.completion", c["object"])
	require.Equal(t, "agent", c["model"])
	require.Equal(t, "stop", at(c, "choices", 0, "finish_reason"))
	require.NotContains(t, at(c, "choices", 0, "message"), "tool_calls", "the tools are the agent's own")
	require.NotContains(t, at(c, "choices", 0, "message"), "reasoning_content", "nobody has asked for it")
	require.Equal(t, doc{
		"prompt_tokens": 20.0, "completion_tokens": 10.0, "total_tokens": 30.0,
		"prompt_tokens_details": doc{"cached_tokens": 8.0}, "completion_tokens_details": doc{"reasoning_tokens": 4.0},
	}, c["usage"], "all calls of the run count")
}

func TestAStream(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	frames := r.stream("/v1/chat/completions", user("weather Bern", "stream_options", doc{"include_usage": true}))
	require.Equal(t, "assistant", at(frames[0], "choices", 0, "delta", "role"))
	require.Equal(t, "I look.\n\nThe tool said: sunny in Bern", joined(frames, "content"))
	require.Empty(t, joined(frames, "reasoning_content"))
	n := len(frames)
	require.Greater(t, n, 8, "it comes word by word")
	require.Equal(t, "[DONE]", frames[n-1])
	require.Equal(t, []any{}, at(frames[n-2], "choices"))
	require.InDelta(t, 30, at(frames[n-2], "usage", "total_tokens"), 0)
	require.Equal(t, "stop", at(frames[n-3], "choices", 0, "finish_reason"))
	require.Nil(t, at(frames[n-3], "agenthost", "content"), "the pieces are the whole")
	for _, f := range frames[:n-1] {
		require.Equal(t, at(frames[0], "id"), at(f, "id"))
	}
	frames = r.stream("/v1/chat/completions", user("hi"))
	require.Equal(t, "stop", at(frames[len(frames)-2], "choices", 0, "finish_reason"), "without include_usage there are no tokens")
}

func TestReasoningAndProgressAreShownToWhoAsks(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	c := r.chat(user("weather Bern", "agenthost", doc{"show": []string{"reasoning"}}))
	require.Equal(t, "Hm.\n\nHm.", at(c, "choices", 0, "message", "reasoning_content"))
	frames := r.stream("/v1/chat/completions", user("weather Bern"), "X-Agenthost-Show", "reasoning, progress")
	require.Equal(t, "Hm.\n\nget_weather {\"city\":\"Bern\"}\nHm.", joined(frames, "reasoning_content"))
	require.Equal(t, "I look.\n\nThe tool said: sunny in Bern", joined(frames, "content"))
	require.Equal(t, "agenthost.show", r.refused(400, "POST", "/v1/chat/completions", user("hi", "agenthost", doc{"show": []string{"all"}}))["param"])
}

func TestWithoutAThreadTheMessagesAreTheHistory(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	history := []any{message("system", "Be kind."), message("user", "a"), message("assistant", "b"), message("user", "c")}
	response, c := r.do("POST", "/v1/chat/completions", doc{"model": "agent", "messages": history})
	require.Equal(t, "You said: c", said(c))
	_, other := r.do("POST", "/v1/chat/completions", doc{"model": "agent", "messages": history})
	require.NotEqual(t, at(c, "agenthost", "thread"), at(other, "agenthost", "thread"))
	state := r.get("GET", "/threads/"+response.header.Get("X-Agenthost-Thread")+"/state", nil)
	require.Len(t, at(state, "values", "messages"), 5)
	require.Equal(t, "b", at(state, "values", "messages", 2, "content"))
}

func TestAThreadGetsWhatIsNew(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	history := []any{message("system", "Be kind."), message("user", "a"), message("assistant", "b"), message("user", "c")}
	send := func(messages ...any) *reply {
		history = append(history, messages...)
		response, c := r.do("POST", "/v1/chat/completions", doc{"model": "agent", "messages": history}, "X-Agenthost-Thread", "chat 42")
		require.Equal(t, http.StatusOK, response.status, "%v", c)
		return response
	}
	first := send()
	state := func() (out []string) {
		messages, _ := at(r.get("GET", "/threads/"+first.header.Get("X-Agenthost-Thread")+"/state", nil), "values", "messages").([]any)
		for _, m := range messages {
			text, ok := at(m, "content").(string)
			if !ok {
				text, _ = at(m, "content", -1, "text").(string)
			}
			out = append(out, text)
		}
		return out
	}
	require.Equal(t, []string{"Be kind.", "a", "b", "c", "You said: c"}, state(), "a new thread begins with what came before")
	second := send(message("assistant", "You said: c"), message("user", "d"))
	require.Equal(t, first.header.Get("X-Agenthost-Thread"), second.header.Get("X-Agenthost-Thread"))
	require.Equal(t, []string{"Be kind.", "a", "b", "c", "You said: c", "d", "You said: d"}, state())
	history = []any{message("developer", "Be brief."), message("user", "e")}
	send()
	require.Equal(t, []string{"Be brief.", "a", "b", "c", "You said: c", "d", "You said: d", "e", "You said: e"}, state(), "instructions are replaced")
	e := r.refused(400, "POST", "/v1/chat/completions", doc{"model": "agent", "messages": []any{message("assistant", "x")}}, "X-Agenthost-Thread", "chat 42")
	require.Contains(t, e["message"], "no message after")

	c := r.chat(user("f", "metadata", doc{"thread_id": first.header.Get("X-Agenthost-Thread"), "note": "n"}))
	require.Equal(t, first.header.Get("X-Agenthost-Thread"), at(c, "agenthost", "thread"), "the metadata name a thread, too")
}

func TestABusyThread(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream := r.send(ctx, "POST", "/v1/chat/completions", user("block", "stream", true), "X-Agenthost-Thread", "one")
	<-r.began
	response, e := r.do("POST", "/v1/chat/completions", user("hi"), "X-Agenthost-Thread", "one")
	require.Equal(t, http.StatusConflict, response.status)
	require.Equal(t, "thread_busy", at(e, "error", "code"))
	require.Equal(t, "1", response.header.Get("Retry-After"))
	close(r.let)
	frames := r.frames(stream)
	require.Equal(t, "The tool said: done", joined(frames, "content"))
}

func TestARunThatFails(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	response, e := r.do("POST", "/v1/chat/completions", user("break"))
	require.Equal(t, http.StatusInternalServerError, response.status)
	require.Equal(t, "false", response.header.Get("X-Should-Retry"), "a run is not repeated by itself")
	require.Contains(t, at(e, "error", "message"), "broken")
	require.Equal(t, "server_error", at(e, "error", "type"))
	frames := r.stream("/v1/chat/completions", user("break"))
	require.Contains(t, at(frames[len(frames)-1], "error", "message"), "broken", "nothing follows the error")

	failed := r.get("POST", "/v1/responses", input("break"))
	require.Equal(t, "failed", failed["status"])
	require.Contains(t, at(failed, "error", "message"), "broken")
	frames = r.stream("/v1/responses", input("break"))
	require.Equal(t, "response.failed", at(frames[len(frames)-1], "type"))
}

func TestWhoGoesAwayCancelsTheRun(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{true, false} {
		r := setup(t, "{}")
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			request, _ := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v1/chat/completions", strings.NewReader(
				`{"model":"agent","store":true,"messages":[{"role":"user","content":"block"}],"stream":`+map[bool]string{true: "true", false: "false"}[stream]+`}`))
			if response, err := r.client.Do(request); err == nil {
				_, _ = response.Body.Read(make([]byte, 1))
				<-ctx.Done()
				_ = response.Body.Close()
			}
		}()
		<-r.began
		cancel()
		<-gone
		require.Eventually(t, func() bool {
			list, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/threads/count", strings.NewReader(`{"status":"interrupted"}`))
			response, err := r.client.Do(list)
			require.NoError(t, err)
			defer func() { _ = response.Body.Close() }()
			text := make([]byte, 1)
			_, _ = response.Body.Read(text)
			return string(text) == "1"
		}, patience, patience/500)
	}
}

func TestAQuestion(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	response, c := r.do("POST", "/v1/chat/completions", user("write x"))
	require.Equal(t, http.StatusOK, response.status)
	require.Contains(t, said(c), "I write it.\n\n")
	require.Contains(t, said(c), `write_file {"content":"x"} waits for a decision: approve, reject`)
	require.Equal(t, "stop", at(c, "choices", 0, "finish_reason"))
	require.Equal(t, "write_file", at(c, "agenthost", "interrupts", 0, "value", "action_requests", 0, "name"))
	thread := response.header.Get("X-Agenthost-Thread")
	require.Equal(t, thread, at(c, "agenthost", "thread"))

	e := r.refused(400, "POST", "/v1/chat/completions", user("", "metadata", doc{"resume": "perhaps"}), "X-Agenthost-Thread", thread)
	require.Equal(t, "metadata.resume", e["param"])
	c = r.chat(user("", "metadata", doc{"resume": "approve"}), "X-Agenthost-Thread", thread)
	require.Equal(t, "The tool said: wrote x", said(c))
	e = r.refused(400, "POST", "/v1/chat/completions", user("", "metadata", doc{"resume": "approve"}), "X-Agenthost-Thread", thread)
	require.Contains(t, e["message"], "nothing in the thread waits")
	r.refused(400, "POST", "/v1/chat/completions", user("", "metadata", doc{"resume": "approve"}))
	require.NotEmpty(t, r.get("GET", "/threads/"+thread, nil)["metadata"], "the thread is kept")
}

func TestAQuestionInAStreamIsAnsweredInJSON(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	frames := r.stream("/v1/chat/completions", user("write x"))
	require.Contains(t, joined(frames, "content"), "waits for a decision")
	last := frames[len(frames)-2]
	id, _ := at(last, "agenthost", "interrupts", 0, "id").(string)
	thread, _ := at(last, "agenthost", "thread").(string)
	require.NotEmpty(t, id)
	answer := `{"` + id + `": {"decisions": [{"type": "reject", "message": "no"}]}}`
	frames = r.stream("/v1/chat/completions", user("", "metadata", doc{"resume": answer}), "X-Agenthost-Thread", thread)
	require.Contains(t, joined(frames, "content"), "The tool said: ")

	frames = r.stream("/v1/chat/completions", user("write y"), "X-Agenthost-Thread", thread)
	require.Contains(t, joined(frames, "content"), "waits for a decision")
	require.Equal(t, "You said: leave it", said(r.chat(user("leave it"), "X-Agenthost-Thread", thread)), "a new message gives the run up")
}

// locate is a tool of the client.
func locate() []any {
	return []any{doc{"type": "function", "function": doc{"name": "locate", "description": "Locates a city.", "parameters": doc{
		"type": "object", "properties": doc{"city": doc{"type": "string"}}, "required": []string{"city"},
	}}}}
}

func TestTheClientPerformsItsTools(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	for _, header := range [][]string{nil, {"X-Agenthost-Thread", "t"}} {
		c := r.chat(user("locate Bern", "tools", locate()), header...)
		require.Equal(t, "tool_calls", at(c, "choices", 0, "finish_reason"))
		require.Nil(t, said(c))
		call := at(c, "choices", 0, "message", "tool_calls", 0)
		require.Equal(t, doc{"name": "locate", "arguments": `{"city":"Bern"}`}, at(call, "function"))
		messages := []any{message("user", "locate Bern"), at(c, "choices", 0, "message"), doc{
			"role": "tool", "tool_call_id": at(call, "id"), "content": "46.9 N",
		}}
		done := r.chat(doc{"model": "agent", "messages": messages, "tools": locate()}, header...)
		require.Equal(t, "The tool said: 46.9 N", said(done), "with a thread and without")
	}
	frames := r.stream("/v1/chat/completions", user("locate Bern", "tools", locate()))
	require.Equal(t, "tool_calls", at(frames[len(frames)-2], "choices", 0, "finish_reason"))
	require.Equal(t, "locate", at(frames[len(frames)-3], "choices", 0, "delta", "tool_calls", 0, "function", "name"))

	c := r.chat(user("locate Bern"), "X-Agenthost-Thread", "other")
	require.NotEqual(t, "tool_calls", at(c, "choices", 0, "finish_reason"), "without its tools the client calls none")
	r.refused(400, "POST", "/v1/chat/completions", user("x", "tools", []any{doc{"type": "web_search"}}))
	e := r.refused(400, "POST", "/v1/chat/completions", user("x", "tools", locate(), "tool_choice", "required"))
	require.Equal(t, "tool_choice", e["param"])
	taken := []any{doc{"type": "function", "function": doc{"name": "get_weather"}}}
	require.Contains(t, r.refused(400, "POST", "/v1/chat/completions", user("x", "tools", taken))["message"], "get_weather")
}

func TestStructuredAnswers(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	format := func(property string) doc {
		return doc{"type": "json_schema", "json_schema": doc{"name": "r", "strict": true, "schema": doc{
			"type": "object", "properties": doc{property: doc{"type": "string"}}, "required": []string{property}, "additionalProperties": false,
		}}}
	}
	ask := func(more ...any) doc { return with(user("report Bern", "model", "structured"), more...) }
	require.Equal(t, `{"city":"Bern"}`, said(r.chat(ask("response_format", format("city")))))
	require.Equal(t, `{"city":"Bern"}`, said(r.chat(ask("response_format", doc{"type": "json_object"}))))
	require.JSONEq(t, `{"city":"Bern"}`, joined(r.stream("/v1/chat/completions", ask("response_format", format("city"))), "content"))
	require.Contains(t, r.refused(400, "POST", "/v1/chat/completions", ask("response_format", format("town")))["message"], `requires "town"`)
	require.Contains(t, r.refused(400, "POST", "/v1/chat/completions", ask("model", "agent", "response_format", format("city")))["message"],
		"answers with texts")
	narrow := format("city")
	narrow["json_schema"].(doc)["schema"].(doc)["properties"] = doc{"city": doc{"enum": []string{"Rome"}}} //nolint:forcetypeassert // a test
	misfit := r.get("POST", "/v1/responses", input("report Bern", "model", "structured", "text", doc{
		"format": with(doc{"type": "json_schema", "name": "r"}, "schema", at(narrow, "json_schema", "schema")),
	}))
	require.Equal(t, "failed", misfit["status"])
	id, _ := misfit["id"].(string)
	require.Equal(t, misfit, r.get("GET", "/v1/responses/"+id, nil), "it does not fit later either")
	require.Equal(t, "invalid_structured_answer", r.refused(500, "POST", "/v1/chat/completions", ask("response_format", narrow))["code"])

	question := r.chat(ask("messages", []any{message("user", "write x")}, "response_format", format("city")))
	require.Nil(t, said(question))
	require.Contains(t, at(question, "choices", 0, "message", "refusal"), "waits for a decision", "a text in place of the value")

	asked := with(doc{"type": "json_schema", "name": "r"}, "schema", at(format("city"), "json_schema", "schema"))
	given := r.get("POST", "/v1/responses", input("report Bern", "model", "structured", "text", doc{"format": asked}))
	require.Equal(t, `{"city":"Bern"}`, at(given, "output", 0, "content", 0, "text"))
}

func TestFilesAndImages(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	content := []any{
		doc{"type": "text", "text": "look"},
		doc{"type": "image_url", "image_url": doc{"url": "data:image/png;base64,aGk="}},
		doc{"type": "image_url", "image_url": doc{"url": "https://example.com/x.png"}},
		doc{"type": "file", "file": doc{"filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="}},
		doc{"type": "input_audio", "input_audio": doc{"data": "aGk=", "format": "wav"}},
	}
	c := r.chat(doc{"model": "agent", "messages": []any{doc{"role": "user", "content": content}}})
	require.Equal(t, "You said: look", said(c))
	thread, _ := at(c, "agenthost", "thread").(string)
	blocks := at(r.get("GET", "/threads/"+thread+"/state", nil), "values", "messages", 0, "content")
	require.Equal(t, []any{
		doc{"type": "text", "text": "look"},
		doc{"type": "image", "base64": "aGk=", "mime_type": "image/png"},
		doc{"type": "image", "url": "https://example.com/x.png"},
		doc{"type": "file", "base64": "aGk=", "mime_type": "application/pdf", "name": "a.pdf"},
		doc{"type": "audio", "base64": "aGk=", "mime_type": "audio/wav"},
	}, blocks)
	for _, bad := range []doc{
		{"type": "image_url", "image_url": doc{"url": "file:///etc/passwd"}},
		{"type": "image_url", "image_url": doc{"url": "data:image/png;base64,?"}},
		{"type": "file", "file": doc{"file_id": "file-1"}},
		{"type": "file"},
		{"type": "video"},
		{"type": "input_audio"},
		{"type": "file", "file": doc{"file_data": "no address"}},
		{"type": "image_url"},
	} {
		e := r.refused(400, "POST", "/v1/chat/completions", doc{"model": "agent", "messages": []any{doc{"role": "user", "content": []any{bad}}}})
		require.Equal(t, "messages[0].content", e["param"], "%v", bad)
	}
}
