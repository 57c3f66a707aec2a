package openai_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAResponse(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	one := r.get("POST", "/v1/responses", input("weather Bern", "instructions", "Be kind.", "metadata", doc{"note": "n"}))
	require.Equal(t, "completed", one["status"])
	require.Equal(t, "response", one["object"])
	require.Equal(t, "Be kind.", one["instructions"])
	require.Equal(t, doc{"note": "n"}, one["metadata"])
	require.Len(t, one["output"], 2)
	require.Equal(t, "I look.", at(one, "output", 0, "content", 0, "text"))
	require.Equal(t, "The tool said: sunny in Bern", at(one, "output", 1, "content", 0, "text"))
	require.InDelta(t, 20, at(one, "usage", "input_tokens"), 0)
	id, _ := one["id"].(string)
	require.Equal(t, one, r.get("GET", "/v1/responses/"+id, nil), "it can be read again")

	thread, _ := at(one, "agenthost", "thread").(string)
	messages, _ := at(r.get("GET", "/threads/"+thread+"/state", nil), "values", "messages").([]any)
	require.Equal(t, at(messages[2], "id"), at(one, "output", 0, "id"), "a message has one id everywhere")

	two := r.get("POST", "/v1/responses", input("more", "previous_response_id", id))
	require.Equal(t, id, two["previous_response_id"])
	require.Equal(t, thread, at(two, "agenthost", "thread"))
	require.Equal(t, "You said: more", at(two, "output", 0, "content", 0, "text"))
	fork := r.get("POST", "/v1/responses", input("other", "previous_response_id", id))
	require.Equal(t, "You said: other", at(fork, "output", 0, "content", 0, "text"))
	messages, _ = at(r.get("GET", "/threads/"+thread+"/state", nil), "values", "messages").([]any)
	require.Len(t, messages, 7, "an earlier response is followed by another branch")

	items := r.get("GET", "/v1/responses/"+id+"/input_items?order=asc", nil)
	require.Equal(t, "system", at(items, "data", 0, "role"))
	require.Equal(t, "weather Bern", at(items, "data", 1, "content", 0, "text"))
	items = r.get("GET", "/v1/responses/"+id+"/input_items?limit=1", nil)
	require.Equal(t, true, items["has_more"])
	last, _ := items["last_id"].(string)
	require.Equal(t, "system", at(r.get("GET", "/v1/responses/"+id+"/input_items?after="+last, nil), "data", 0, "role"))

	gone := r.get("DELETE", "/v1/responses/"+id, nil)
	require.Equal(t, true, gone["deleted"])
	r.refused(404, "GET", "/v1/responses/"+id, nil)
	require.Equal(t, "completed", r.get("GET", "/v1/responses/"+two["id"].(string), nil)["status"], "the others stay") //nolint:forcetypeassert // a test
}

func TestAResponseThatIsNotKept(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	for _, store := range []bool{true, false} {
		r.get("POST", "/v1/responses", input("hi", "store", store))
	}
	kept := r.send(t.Context(), "POST", "/threads/count", doc{})
	text := make([]byte, 1)
	_, _ = kept.body.Read(text)
	require.Equal(t, "1", string(text), "lists leave out the other thread")
}

func TestConversations(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	one := r.get("POST", "/v1/responses", input("a", "conversation", "conv_mine"))
	two := r.get("POST", "/v1/responses", input("b", "conversation", doc{"id": at(one, "conversation", "id")}))
	require.Equal(t, one["conversation"], two["conversation"])
	thread, _ := at(one, "agenthost", "thread").(string)
	messages, _ := at(r.get("GET", "/threads/"+thread+"/state", nil), "values", "messages").([]any)
	require.Len(t, messages, 4)
	e := r.refused(400, "POST", "/v1/responses", input("b", "conversation", "conv_mine", "previous_response_id", one["id"]))
	require.Equal(t, "previous_response_id", e["param"])
	require.Equal(t, "conversation", r.refused(400, "POST", "/v1/responses", input("b", "conversation", 1))["param"])
}

// types returns the types of events, repeated ones once.
func types(frames []any) (out []string) {
	for _, f := range frames {
		if kind, _ := at(f, "type").(string); len(out) == 0 || out[len(out)-1] != kind {
			out = append(out, kind)
		}
	}
	return out
}

func TestAStreamOfAResponse(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	frames := r.stream("/v1/responses", input("weather Bern", "reasoning", doc{"summary": "auto"}))
	require.Equal(t, []string{"response.created", "response.in_progress"}, types(frames)[:2])
	part := []string{
		"response.output_item.added", "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
		"response.reasoning_summary_text.done", "response.reasoning_summary_part.done", "response.output_item.done",
		"response.output_item.added", "response.content_part.added", "response.output_text.delta",
		"response.output_text.done", "response.content_part.done", "response.output_item.done",
	}
	require.Equal(t, append(append(part, part...), "response.completed"), types(frames)[2:])
	var done []any
	for i, f := range frames {
		require.InDelta(t, i+1, at(f, "sequence_number"), 0)
		if at(f, "type") == "response.output_item.done" {
			require.InDelta(t, len(done), at(f, "output_index"), 0)
			done = append(done, at(f, "item"))
		}
	}
	require.Equal(t, at(frames[len(frames)-1], "response", "output"), any(done), "the pieces are the whole")
}

func TestAResponseInTheBackground(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	begun := r.get("POST", "/v1/responses", input("block", "background", true))
	require.Contains(t, []any{"queued", "in_progress"}, begun["status"])
	id, _ := begun["id"].(string)
	<-r.began
	require.Equal(t, "in_progress", r.get("GET", "/v1/responses/"+id, nil)["status"])
	require.Equal(t, "response_active", r.refused(409, "DELETE", "/v1/responses/"+id, nil)["code"])
	require.Equal(t, "thread_busy", r.refused(409, "POST", "/v1/responses", input("x", "previous_response_id", id))["code"])
	close(r.let)
	all := r.frames(r.send(t.Context(), "GET", "/v1/responses/"+id+"?stream=true", nil))
	require.Equal(t, "response.completed", at(all[len(all)-1], "type"))
	rest := r.frames(r.send(t.Context(), "GET", "/v1/responses/"+id+"?stream=true&starting_after=4", nil))
	require.Equal(t, all[4:], rest)
	require.Equal(t, at(all[len(all)-1], "response"), any(r.get("GET", "/v1/responses/"+id, nil)))

	begun = r.get("POST", "/v1/responses", input("hi"))
	e := r.refused(400, "GET", "/v1/responses/"+begun["id"].(string)+"?stream=true", nil) //nolint:forcetypeassert // a test
	require.Contains(t, e["message"], "background")
}

func TestAResponseIsCancelled(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	begun := r.get("POST", "/v1/responses", input("block", "background", true))
	<-r.began
	path := fmt.Sprintf("/v1/responses/%s", begun["id"])
	require.Equal(t, "cancelled", r.get("POST", path+"/cancel", nil)["status"])
	require.Equal(t, "cancelled", r.get("GET", path, nil)["status"])
	over := r.get("POST", "/v1/responses", input("hi"))
	require.Equal(t, "completed", r.get("POST", fmt.Sprintf("/v1/responses/%s/cancel", over["id"]), nil)["status"])
}

// A cancel waits as a stream of its owner. Without a free one the response is cancelled nevertheless.
func TestACancelThatWaitsUsesAStream(t *testing.T) {
	t.Parallel()
	r := setup(t, keys()+"limits: {streams_per_owner: 1}").as(annsKey)
	stream := r.send(t.Context(), "POST", "/v1/responses", input("block", "background", true, "stream", true))
	<-r.began
	path := "/v1/responses/resp_" + stream.header.Get("X-Agenthost-Run")
	require.Equal(t, "in_progress", r.get("GET", path, nil)["status"])
	e := r.refused(http.StatusTooManyRequests, "POST", path+"/cancel", nil)
	require.Equal(t, "rate_limit_error", e["type"])
	require.Contains(t, e["message"], "you have 1 streams at once")
	require.NotEmpty(t, r.frames(stream), "it ends")
	require.Equal(t, "cancelled", r.get("GET", path, nil)["status"])
	require.Equal(t, "cancelled", r.get("POST", path+"/cancel", nil)["status"], "there is a free stream again")
}

func TestAQuestionOfAResponse(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	one := r.get("POST", "/v1/responses", input("write x"))
	require.Equal(t, "completed", one["status"])
	require.Contains(t, at(one, "output", 1, "content", 0, "text"), "waits for a decision")
	two := r.get("POST", "/v1/responses", doc{"model": "agent", "previous_response_id": one["id"], "metadata": doc{"resume": "reject: no"}})
	require.Contains(t, at(two, "output", 0, "content", 0, "text"), "The tool said: ")
	frames := r.stream("/v1/responses", input("write x"))
	require.Contains(t, at(frames[len(frames)-1], "response", "agenthost", "interrupts", 0, "id"), "ask-")
}

func TestToolsOfTheClientInAResponse(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	tools := []any{with(locate()[0].(doc)["function"].(doc), "type", "function")} //nolint:forcetypeassert // a test
	one := r.get("POST", "/v1/responses", input("locate Bern", "tools", tools))
	call := at(one, "output", 0)
	require.Equal(t, "function_call", at(call, "type"))
	require.JSONEq(t, `{"city":"Bern"}`, at(call, "arguments").(string)) //nolint:forcetypeassert // a test
	result := doc{"type": "function_call_output", "call_id": at(call, "call_id"), "output": "46.9 N"}
	two := r.get("POST", "/v1/responses", doc{"model": "agent", "previous_response_id": one["id"], "input": []any{result}})
	require.Equal(t, "The tool said: 46.9 N", at(two, "output", 0, "content", 0, "text"))
	three := r.get("POST", "/v1/responses", doc{"model": "agent", "input": []any{message("user", "locate Bern"), call, result}})
	require.Equal(t, "The tool said: 46.9 N", at(three, "output", 0, "content", 0, "text"), "without a thread")
	frames := r.stream("/v1/responses", input("locate Bern", "tools", tools))
	require.Contains(t, types(frames), "response.function_call_arguments.done")
	unknown := doc{"type": "function_call_output", "call_id": "x", "output": "y"}
	one = r.get("POST", "/v1/responses", input("locate Bern", "tools", tools))
	e := r.refused(400, "POST", "/v1/responses", doc{"model": "agent", "previous_response_id": one["id"], "input": []any{unknown}})
	require.Contains(t, e["message"], "no result of the call")
}

func TestUnknownPathsHaveOpenAIsErrors(t *testing.T) {
	t.Parallel()
	r := setup(t, keys()).as(annsKey)
	r.refused(http.StatusNotFound, "GET", "/v1/nothing", nil)
	r.refused(http.StatusMethodNotAllowed, "DELETE", "/v1/models", nil)
	r.refused(http.StatusNotFound, "GET", "/v1/responses/resp_x", nil)
	response, e := r.as("wrong-0123456789abcdef").do("GET", "/v1/models", nil)
	require.Equal(t, http.StatusUnauthorized, response.status)
	require.Equal(t, "authentication_error", at(e, "error", "type"))
	require.Equal(t, "permission_error", r.as(onlyThreads).refused(403, "POST", "/v1/chat/completions", user("hi"))["type"])
}
