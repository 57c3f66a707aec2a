package builtin_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/test/testservers"
)

// live is an agent whose subagents work on LangGraph's own server. Its model does what the user says.
type live struct {
	agent   *host.Agent
	address string
	thread  string
	tasks   map[string]liveTask
	last    *host.Result
}

type liveTask struct {
	RunID  string `msgpack:"run_id"`
	Status string `msgpack:"status"`
}

func newLive(t *testing.T, address, strategy string) *live {
	t.Helper()
	subagent := builtin.AsyncSubagent{Name: "worker", Description: "Works.", GraphID: "worker", URL: address, UpdateStrategy: strategy}
	unknown := subagent
	unknown.Name, unknown.GraphID = "nobody", "nobody"
	obey := speaker(func(_ context.Context, req *model.Request) (abi.Message, error) {
		var last abi.Message // of the user, not a notification
		for _, m := range req.Messages.All() {
			if m.Role == abi.RoleAI || m.Role == abi.RoleHuman && !m.Meta.Has("deepagents_notification") {
				last = *m
			}
		}
		name, args, ok := strings.Cut(last.Content.Text(), " {")
		if last.Role != abi.RoleHuman || !ok {
			return abi.AI("ok"), nil
		}
		var decoded map[string]any
		err := json.Unmarshal([]byte("{"+args), &decoded)
		return abi.AI("", abi.Call("c", name, decoded)), err
	})
	agent, err := host.New(host.Config{
		Model: obey, Checkpointer: memory.New(),
		Middleware: []host.Middleware{builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{subagent, unknown}}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return &live{agent: agent, address: address, thread: t.Name()}
}

// say has the user say something, and returns the answer of the last tool.
func (l *live) say(t *testing.T, text string) string {
	t.Helper()
	var err error
	l.last, err = l.agent.Run(t.Context(), host.Input{Thread: l.thread, Messages: []abi.Message{abi.Human(text)}})
	require.NoError(t, err)
	l.tasks = nil
	require.NoError(t, host.Decode(l.last.State.Get("async_tasks"), &l.tasks))
	said := answers(l.last)
	if len(said) == 0 {
		return ""
	}
	return said[len(said)-1]
}

// call has the model call a tool.
func (l *live) call(t *testing.T, tool string, args object) string {
	t.Helper()
	text, err := json.Marshal(args)
	require.NoError(t, err)
	return l.say(t, tool+" "+string(text))
}

// start starts a task, and returns its id.
func (l *live) start(t *testing.T, description string) string {
	t.Helper()
	answer := l.call(t, "start_async_task", object{"description": description, "subagent_type": "worker"})
	id, ok := strings.CutPrefix(answer, "Launched async subagent. task_id: ")
	require.True(t, ok, answer)
	return id
}

// join waits until the newest run of a task has ended.
func (l *live) join(t *testing.T, id string) {
	t.Helper()
	_ = l.get(t, "/threads/"+id+"/runs/"+l.tasks[id].RunID+"/join")
}

func (l *live) get(t *testing.T, path string) object {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, l.address+path, http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	var decoded object
	_ = json.Unmarshal(body, &decoded) // the join of a failed run may be empty
	return decoded
}

// TestAsyncSubagentsOnLangGraphsServer has subagents work on the server that the reference is made for.
func TestAsyncSubagentsOnLangGraphsServer(t *testing.T) {
	t.Parallel()
	address := testservers.LangGraph(t, filepath.Join("..", "examples", "async-subagents", "server"))
	for name, test := range map[string]func(t *testing.T, l *live){
		"success":  liveSuccess,
		"question": liveQuestion,
		"failure":  liveFailure,
		"unknown":  liveUnknown,
		"update":   liveUpdate,
		"cancel":   liveCancel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newLive(t, address, ""))
		})
	}
	t.Run("queue", func(t *testing.T) {
		t.Parallel()
		liveQueue(t, newLive(t, address, "enqueue"))
	})
}

func liveSuccess(t *testing.T, l *live) {
	t.Helper()
	id := l.start(t, "count the <stars>")
	l.join(t, id)
	require.Equal(t, object{"subagent_name": "worker", "parent_thread_id": l.thread}, only(l.get(t, "/threads/"+id)["metadata"], "subagent_name", "parent_thread_id"))
	l.say(t, "news?")
	require.Equal(t, "success", l.tasks[id].Status)
	news := 0
	for _, m := range l.last.Messages.All() {
		if m.Meta.Has("deepagents_notification") {
			news++
			require.Contains(t, m.Content.Text(), "<result>\nI did this: count the &lt;stars&gt;\n</result>")
		}
	}
	require.Equal(t, 1, news)
	require.JSONEq(t, `{"status": "success", "thread_id": "`+id+`", "result": "I did this: count the <stars>"}`, l.call(t, "check_async_task", object{"task_id": id}))
	require.Equal(t, "1 tracked task(s):\n- task_id: "+id+"  agent: worker  status: success", l.call(t, "list_async_tasks", object{}))
}

func liveQuestion(t *testing.T, l *live) {
	t.Helper()
	id := l.start(t, "ask me")
	l.join(t, id)
	answer := l.call(t, "check_async_task", object{"task_id": id})
	require.Contains(t, answer, `{"status": "waiting", "thread_id": "`+id+`", "interrupts": [{"id":"`)
	require.Contains(t, answer, `"value":{"question":"ask me"}}]`)
	require.Equal(t, "Updated async subagent. task_id: "+id+". It was waiting for a human; that request was dropped.",
		l.call(t, "update_async_task", object{"task_id": id, "message": "go on"}))
	l.join(t, id)
	require.Contains(t, l.call(t, "check_async_task", object{"task_id": id}), `"result": "I did this: go on"`)
}

func liveFailure(t *testing.T, l *live) {
	t.Helper()
	id := l.start(t, "fail now")
	l.join(t, id)
	require.JSONEq(t, `{"status": "error", "thread_id": "`+id+`", "error": "The async subagent encountered an error."}`,
		l.call(t, "check_async_task", object{"task_id": id}))
	require.Equal(t, "error", l.tasks[id].Status)
}

func liveUnknown(t *testing.T, l *live) {
	t.Helper()
	require.Contains(t, l.call(t, "start_async_task", object{"description": "d", "subagent_type": "nobody"}),
		"Failed to launch async subagent 'nobody': Invalid assistant: 'nobody'.")
	require.Equal(t, "No async subagent tasks tracked.", l.call(t, "list_async_tasks", object{}))
}

func liveUpdate(t *testing.T, l *live) {
	t.Helper()
	id := l.start(t, "sleep long")
	first := l.tasks[id].RunID
	require.Equal(t, "Updated async subagent. task_id: "+id, l.call(t, "update_async_task", object{"task_id": id, "message": "wake up"}))
	l.join(t, id)
	require.Contains(t, l.call(t, "check_async_task", object{"task_id": id}), `"result": "I did this: wake up"`)
	require.Equal(t, "interrupted", l.get(t, "/threads/"+id+"/runs/"+first)["status"])
}

func liveCancel(t *testing.T, l *live) {
	t.Helper()
	id := l.start(t, "sleep long")
	require.Equal(t, "Cancelled async subagent task: "+id, l.call(t, "cancel_async_task", object{"task_id": id}))
	l.join(t, id)
	require.JSONEq(t, `{"status": "cancelled", "thread_id": "`+id+`"}`, l.call(t, "check_async_task", object{"task_id": id}))
	require.Equal(t, "cancelled", l.tasks[id].Status)
}

func liveQueue(t *testing.T, l *live) {
	t.Helper()
	id := l.start(t, "sleep long")
	first := l.tasks[id].RunID
	require.Equal(t, "Queued follow-up to async subagent without interrupting its current run. task_id: "+id,
		l.call(t, "update_async_task", object{"task_id": id, "message": "then this"}))
	require.Contains(t, l.call(t, "check_async_task", object{"task_id": id}), `"status": "pending"`)
	require.Equal(t, "Cancelled async subagent task: "+id, l.call(t, "cancel_async_task", object{"task_id": id}))
	_ = l.get(t, "/threads/"+id+"/runs/"+first+"/join")
	require.Equal(t, "interrupted", l.get(t, "/threads/"+id+"/runs/"+first)["status"], "the earlier run is cancelled too")
}

// only returns the values of some keys.
func only(from any, keys ...string) object {
	all, _ := from.(object)
	out := object{}
	for _, key := range keys {
		out[key] = all[key]
	}
	return out
}
