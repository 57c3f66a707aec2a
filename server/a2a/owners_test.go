package a2a_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/a2a"
)

// A stranger walks every route and every method with the id of somebody else's task: it is not found, and nothing changes.
func TestAStrangerFindsNothing(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	ann, bob := r.as(annsKey), r.as(bobsKey)
	task := ann.task(message("write anns-secret"))
	id, context := textIn(task["id"]), textIn(task["contextId"])
	ann.result("CreateTaskPushNotificationConfig", doc{"taskId": id, "id": "push", "url": "https://example.com/anns-secret", "token": "anns-secret"})
	before := ann.result("GetTask", doc{"id": id})

	push := doc{"taskId": id, "id": "push", "url": "https://example.com/mine"}
	for _, pattern := range a2a.Patterns() {
		method, path, _ := strings.Cut(strings.TrimSuffix(pattern, "/{$}"), " ")
		bodies := map[string]any{"": nil}
		switch {
		case strings.HasSuffix(path, "{agent}"):
			bodies = map[string]any{}
			for name, params := range map[string]doc{
				"GetTask": {"id": id}, "CancelTask": {"id": id}, "SubscribeToTask": {"id": id}, "ListTasks": {"contextId": context},
				"SendMessage": message("approve", "taskId", id), "SendStreamingMessage": message("approve", "taskId", id),
				"CreateTaskPushNotificationConfig": push, "GetTaskPushNotificationConfig": push, "DeleteTaskPushNotificationConfig": push,
				"ListTaskPushNotificationConfigs": {"taskId": id},
				"tasks/get":                       {"id": id}, "tasks/cancel": {"id": id}, "tasks/resubscribe": {"id": id},
			} {
				bodies[name] = doc{"jsonrpc": "2.0", "id": 1, "method": name, "params": params}
			}
		case strings.Contains(path, "message:"):
			bodies = map[string]any{"": message("approve", "taskId", id)}
		case method == http.MethodPost && strings.HasSuffix(path, "Configs"):
			bodies = map[string]any{"": push}
		}
		actions := []string{""}
		if strings.HasSuffix(path, "{task}") {
			actions = []string{":subscribe", ":cancel"}
			if method == http.MethodGet {
				actions = []string{"", ":subscribe"}
			}
		}
		for _, action := range actions {
			for name, body := range bodies {
				at := strings.NewReplacer("{agent}", "agent", "{task}", id, "{config}", "push").Replace(path) + action
				response := bob.send(t.Context(), method, at, body)
				text, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.NotContains(t, string(text), "anns-secret", "%s %s", pattern, name)
				require.Less(t, response.StatusCode, 500, "%s %s: %s", pattern, name, text)
				switch {
				case name == "ListTasks" || strings.HasSuffix(path, "/tasks"):
					require.Contains(t, string(text), `"tasks":[]`)
				case name != "":
					require.Contains(t, string(text), "-32001", "%s %s: %s", pattern, name, text)
				case strings.Contains(at, id), body != nil:
					require.Equal(t, http.StatusNotFound, response.StatusCode, "%s: %s", pattern, text)
				}
			}
		}
	}
	require.Equal(t, before, ann.result("GetTask", doc{"id": id}))
	list := listIn(ann.result("ListTaskPushNotificationConfigs", doc{"taskId": id})["configs"])
	require.Len(t, list, 1)
	require.Equal(t, "https://example.com/anns-secret", objectIn(list[0])["url"])
	own := bob.task(message("hi", "contextId", context))
	require.Equal(t, []string{"hi", "You said: hi"}, texts(own["history"]), "an id that somebody else uses is free for one's own")
}

func TestCredentialsAreNeeded(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	for _, pattern := range a2a.Patterns() {
		method, path, _ := strings.Cut(strings.TrimSuffix(pattern, "/{$}"), " ")
		path = strings.NewReplacer("{agent}", "agent", "{task}", "x", "{config}", "x").Replace(path)
		require.Equal(t, http.StatusUnauthorized, r.send(t.Context(), method, path, nil).StatusCode, pattern)
		if !strings.HasSuffix(path, a2a.CardPath) {
			require.Equal(t, http.StatusForbidden, r.as(noRuns).send(t.Context(), method, path, doc{}).StatusCode, pattern)
		}
	}
	status, answer := r.as(noRuns).do("POST", "/a2a/agent", doc{"jsonrpc": "2.0", "id": 1, "method": "ListTasks"})
	require.Equal(t, http.StatusForbidden, status)
	require.InDelta(t, -31403, objectIn(answer["error"])["code"], 0)
}

// A key that may only start runs can poll, follow and cancel a task whose id it knows, but does not list what all threads have said.
func TestListingTasksNeedsThreads(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	ann, only := r.as(annsKey), r.as(onlyRuns)
	ann.task(message("hi anns-secret"))
	for _, at := range []string{"/a2a/agent/tasks", "/a2a/agent/tasks?historyLength=0"} {
		status, answer := only.do("GET", at, nil)
		require.Equal(t, http.StatusForbidden, status, at)
		require.Contains(t, fmt.Sprint(answer), "Forbidden", at)
	}
	status, answer := only.do("POST", "/a2a/agent", doc{"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": doc{}})
	require.Equal(t, http.StatusForbidden, status)
	require.Contains(t, fmt.Sprint(answer["error"]), "Forbidden")

	started := message("block")
	started["configuration"] = doc{"returnImmediately": true}
	id := textIn(only.task(started)["id"])
	<-r.began
	require.Equal(t, "TASK_STATE_WORKING", stateOf(only.result("GetTask", doc{"id": id})))
	response := only.send(t.Context(), "POST", "/a2a/agent/tasks/"+id+":subscribe", nil)
	r.let <- struct{}{}
	require.NotEmpty(t, only.events(response))
	for _, binding := range []string{"GetTask", "tasks/get", "GET"} {
		var done any
		if binding == "GET" {
			_, done = only.do("GET", "/a2a/agent/tasks/"+id, nil)
		} else {
			done = only.result(binding, doc{"id": id})
		}
		require.Contains(t, fmt.Sprint(done), "The tool said: done", binding)
	}
	waits := only.task(message("write it"))
	require.Equal(t, "TASK_STATE_CANCELED", stateOf(only.result("CancelTask", doc{"id": waits["id"]})))
}

// A task belongs to one agent.
func TestAnotherAgentDoesNotHaveTheTask(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123", "agent", "other")
	task := r.task(message("hi"))
	status, _ := r.do("GET", "/a2a/other/tasks/"+textIn(task["id"]), nil)
	require.Equal(t, http.StatusNotFound, status)
	status, list := r.do("GET", "/a2a/other/tasks", nil)
	require.Equal(t, http.StatusOK, status)
	require.Empty(t, list["tasks"])
}
