package a2a_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/store"
	storememory "github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/server"
)

// notified is what a client was told.
type notified struct {
	header http.Header
	body   doc
}

// receiver starts a server that clients of agents are notified at.
func receiver(t *testing.T) (url string, got chan notified) {
	t.Helper()
	got = make(chan notified, 10)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		var body doc
		if err == nil {
			err = json.Unmarshal(text, &body)
		}
		if err != nil {
			body = doc{"error": err.Error()}
		}
		got <- notified{r.Header, body}
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func TestClientsAreNotified(t *testing.T) {
	t.Parallel()
	r := setup(t, "webhooks: {allow_private: [127.0.0.0/8]}")
	url, got := receiver(t)
	params := message("write it")
	params["configuration"] = doc{"taskPushNotificationConfig": doc{
		"url": url, "token": "secret", "authentication": doc{"scheme": "Bearer", "credentials": "abc"},
	}}
	task := r.task(params)
	asked := <-got
	require.Equal(t, "TASK_STATE_INPUT_REQUIRED", stateOf(asked.body["task"]))
	require.Equal(t, "secret", asked.header.Get("X-A2a-Notification-Token"))
	require.Equal(t, "Bearer abc", asked.header.Get("Authorization"))
	require.Equal(t, "application/a2a+json", asked.header.Get("Content-Type"))

	// The answer comes by another door, and the client of the task learns of its end.
	status, _ := r.do("POST", "/threads/"+textIn(task["contextId"])+"/runs/wait", doc{
		"assistant_id": "agent", "command": doc{"resume": doc{"decisions": []any{doc{"type": "approve"}}}},
	})
	require.Equal(t, http.StatusOK, status)
	ended := <-got
	require.Equal(t, r.result("GetTask", doc{"id": task["id"]}), ended.body["task"])
	require.Equal(t, "TASK_STATE_COMPLETED", stateOf(ended.body["task"]))

	waiting := r.task(message("write it"))
	r.result("CreateTaskPushNotificationConfig", doc{"taskId": waiting["id"], "id": "mine", "url": url})
	r.result("CancelTask", doc{"id": waiting["id"]})
	require.Equal(t, "TASK_STATE_CANCELED", stateOf((<-got).body["task"]))
}

func TestNotificationsAreConfigured(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	id := textIn(r.task(message("hi"))["id"])
	base := "/a2a/agent/tasks/" + id + "/pushNotificationConfigs"
	status, made := r.do("POST", base, doc{"url": "https://example.com/hook"})
	require.Equal(t, http.StatusOK, status)
	name, _ := made["id"].(string)
	require.NotEmpty(t, name)
	_, got := r.do("GET", base+"/"+name, nil)
	require.Equal(t, made, got)
	_, list := r.do("GET", base, nil)
	require.Equal(t, []any{any(made)}, list["configs"])
	for range 2 {
		status, _ = r.do("DELETE", base+"/"+name, nil)
		require.Equal(t, http.StatusOK, status)
	}
	status, _ = r.do("GET", base+"/"+name, nil)
	require.Equal(t, http.StatusNotFound, status)

	for _, bad := range []doc{
		{"url": "http://10.0.0.1/"},
		{"url": "ftp://example.com"},
		{"url": "https://localhost/"},
		{"url": ""},
		{"url": "https://example.com", "id": "../x"},
		{"url": "https://example.com", "token": "a\nb"},
		{"url": "https://example.com", "authentication": doc{"scheme": "Bearer x\r\ny"}},
		{"url": "https://example.com", "authentication": doc{"scheme": "Bearer", "credentials": "x\r\nHost: y"}},
	} {
		status, answer := r.do("POST", base, bad)
		require.Equal(t, http.StatusBadRequest, status, "%v: %v", bad, answer)
	}
	for i := range 21 {
		status, _ = r.do("POST", base, doc{"url": "https://example.com/hook"})
		require.Equal(t, i < 20, status == http.StatusOK)
	}
}

// A run whose client cannot be notified does not begin, and a run that does not begin leaves nothing to notify.
func TestARunBeginsOnlyIfItsClientCanBeNotified(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	task := r.task(message("write it"))
	for i := range 20 {
		r.result("CreateTaskPushNotificationConfig", doc{"taskId": task["id"], "id": fmt.Sprint("push-", i), "url": "https://example.com/hook"})
	}
	answer := message("approve", "taskId", task["id"])
	answer["configuration"] = doc{"taskPushNotificationConfig": doc{"url": "https://example.com/hook"}}
	require.Contains(t, r.refused(-32602, "SendMessage", answer), "which is the most")
	require.Equal(t, "TASK_STATE_INPUT_REQUIRED", stateOf(r.result("GetTask", doc{"id": task["id"]})), "the answer was not given")

	busy := r.task(message("write it"))
	list := func() []any {
		return listIn(r.result("ListTaskPushNotificationConfigs", doc{"taskId": busy["id"]})["configs"])
	}
	bad := message("approve", "taskId", busy["id"], "parts", []any{doc{"data": doc{"decisions": []any{}}}})
	bad["configuration"] = answer["configuration"]
	require.NotNil(t, r.call("SendMessage", bad)["error"])
	require.Empty(t, list())
}

// brokenStore is a store that cannot write.
type brokenStore struct{ store.Store }

var errBroken = errors.New("the disk is full")

func (brokenStore) Put(context.Context, store.Namespace, string, []byte, store.PutOptions) (uint64, error) {
	return 0, errBroken
}

func TestNoRunBeginsIfTheStoreIsBroken(t *testing.T) {
	t.Parallel()
	r := setupWith(t, "listen: 127.0.0.1:8123", server.Config{Store: brokenStore{semantic.WithoutIndex(storememory.New())}})
	params := message("hi")
	params["configuration"] = doc{"taskPushNotificationConfig": doc{"url": "https://example.com/hook"}}
	require.NotNil(t, r.call("SendMessage", params)["error"])
	require.Empty(t, r.result("ListTasks", doc{})["tasks"])
}
