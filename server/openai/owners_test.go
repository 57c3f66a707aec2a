package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/openai"
)

// marked is in everything that belongs to ann.
const marked = "anns-secret"

// A stranger walks every endpoint with ids of somebody else: nothing of it is seen, and nothing changes.
func TestAStrangerFindsNothing(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	ann, bob := r.as(annsKey), r.as(bobsKey)
	one := ann.get("POST", "/v1/responses", input(marked, "conversation", "conv_shared", "metadata", doc{"note": marked}))
	question := ann.get("POST", "/v1/responses", input("write "+marked))
	made := ann.send(t.Context(), "POST", "/assistants", doc{"graph_id": "agent", "name": marked})
	require.Equal(t, http.StatusOK, made.status)
	models, _ := ann.get("GET", "/v1/models", nil)["data"].([]any)
	assistant, _ := at(models[2], "id").(string)
	id, _ := one["id"].(string)
	thread, _ := at(question, "agenthost", "thread").(string)

	requests := map[string][]doc{
		"POST /v1/chat/completions": {
			user("hi", "model", assistant), user("", "metadata", doc{"thread_id": thread, "resume": "approve"}), user("hi", "metadata", doc{"thread_id": thread}),
		},
		"POST /v1/responses": {
			input("hi", "model", assistant), input("hi", "previous_response_id", id), input("hi", "conversation", "conv_shared"),
			input("hi", "conversation", at(one, "conversation")),
			input("", "metadata", doc{"resume": "approve"}, "previous_response_id", question["id"]),
		},
	}
	paths := strings.NewReplacer("{model}", assistant, "{response}", id)
	for _, pattern := range openai.Patterns() {
		bodies := requests[pattern]
		if bodies == nil {
			bodies = []doc{nil}
		}
		method, path, _ := strings.Cut(paths.Replace(pattern), " ")
		for _, body := range bodies {
			var sent any
			if body != nil {
				sent = body
			}
			response := bob.send(t.Context(), method, path, sent)
			text, err := io.ReadAll(response.body)
			require.NoError(t, err)
			require.NotContains(t, string(text), marked, pattern)
			require.Less(t, response.status, 500, "%s: %s", pattern, text)
			if path != strings.TrimPrefix(pattern, method+" ") {
				require.Equal(t, http.StatusNotFound, response.status, "%s: %s", pattern, text)
			}
		}
	}
	require.Equal(t, one, ann.get("GET", "/v1/responses/"+id, nil))
	require.Len(t, bob.get("GET", "/v1/models", nil)["data"], 2)
	answered := ann.get("POST", "/v1/responses", doc{"model": "agent", "previous_response_id": question["id"], "metadata": doc{"resume": "approve"}})
	require.Contains(t, at(answered, "output", 0, "content", 0, "text"), marked, "the question still waits")
}

func TestWhoRemovesAResponseNeedNotRemoveItsThread(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	for key, left := range map[string]int{annsKey: http.StatusNotFound, onlyRuns: http.StatusOK} {
		one := r.as(key).get("POST", "/v1/responses", input("hi"))
		id, _ := one["id"].(string)
		thread, _ := at(one, "agenthost", "thread").(string)
		r.as(key).get("DELETE", "/v1/responses/"+id, nil)
		response, _ := r.as(annsKey).do("GET", "/threads/"+thread, nil)
		require.Equal(t, left, response.status)
	}
}

func TestEveryRouteNeedsAKeyAndItsScope(t *testing.T) {
	t.Parallel()
	r := setup(t, keys()+"\nlimits: {failed_logins: 1000}")
	paths := strings.NewReplacer("{model}", "agent", "{response}", "resp_x")
	for _, pattern := range openai.Patterns() {
		method, path, _ := strings.Cut(paths.Replace(pattern), " ")
		for _, key := range []string{"", "wrong-0123456789abcdef"} {
			require.Equal(t, "authentication_error", r.as(key).refused(http.StatusUnauthorized, method, path, nil)["type"], pattern)
		}
		if !strings.Contains(pattern, "/models") {
			require.Equal(t, "permission_error", r.as(onlyThreads).refused(http.StatusForbidden, method, path, nil)["type"], pattern)
		}
	}
}
