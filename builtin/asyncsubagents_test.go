package builtin_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// remote is an agent server. Its threads are t1, t2, ... and its runs r1, r2, ...
type remote struct {
	*httptest.Server

	mu            sync.Mutex
	posted        []string // the requests that change something
	threads, runs int
	looks         int                                  // at runs
	run           func(look int, id string) object     // what a run is at a look; nil: it works
	thread        object                               // what threads are like
	refuse        func(method, path string) (int, any) // 0: the request is fine
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	r := &remote{}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP answers as LangGraph's server does.
func (r *remote) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, _ := io.ReadAll(req.Body)
	if req.Method == http.MethodPost {
		r.posted = append(r.posted, strings.TrimSpace(req.URL.Path+" "+string(body)))
	}
	if r.refuse != nil {
		if status, said := r.refuse(req.Method, req.URL.Path); status != 0 {
			w.WriteHeader(status)
			if text, ok := said.(string); ok {
				_, _ = io.WriteString(w, text)
				return
			}
			sendJSON(w, said)
			return
		}
	}
	sendJSON(w, r.answer(req.Method, strings.Split(strings.Trim(req.URL.Path, "/"), "/")))
}

func sendJSON(w io.Writer, said any) {
	_ = json.NewEncoder(w).Encode(said) //nolint:errchkjson // the test's own values
}

func (r *remote) answer(method string, path []string) any {
	switch {
	case method == http.MethodPost && len(path) == 1:
		r.threads++
		return object{"thread_id": fmt.Sprintf("t%d", r.threads)}
	case method == http.MethodPost && len(path) == 3:
		r.runs++
		return object{"run_id": fmt.Sprintf("r%d", r.runs), "status": "pending"}
	case method == http.MethodPost:
		return object{}
	case len(path) == 2:
		thread := object{"thread_id": path[1], "status": "idle"}
		maps.Copy(thread, r.thread)
		return thread
	}
	id := fmt.Sprintf("r%d", r.runs)
	if len(path) == 4 {
		id = path[3]
	}
	r.looks++
	run := object{"run_id": id, "status": "running"}
	if r.run != nil {
		maps.Copy(run, r.run(r.looks, id))
	}
	if len(path) == 3 {
		return []any{run}
	}
	return run
}

// finishes makes all runs succeed with an answer, from the second look on.
func (r *remote) finishes(content any) {
	r.thread = object{"values": object{"messages": []any{object{"role": "assistant", "content": content}}}}
	r.run = func(look int, _ string) object {
		if look < 2 {
			return nil
		}
		return object{"status": "success"}
	}
}

func (r *remote) subagent() builtin.AsyncSubagent {
	return builtin.AsyncSubagent{Name: "researcher", Description: "Finds things out.", GraphID: "research", URL: r.URL}
}

// delegating is an agent with an async subagent. heard has the messages of each request to its model.
type delegating struct {
	*host.Agent
	heard [][]abi.Message
}

func delegate(t *testing.T, config builtin.AsyncSubagents, turns ...scripted.Turn) *delegating {
	t.Helper()
	d := &delegating{}
	inner := scripted.NewTurns(turns...)
	var err error
	d.Agent, err = host.New(host.Config{
		Checkpointer: memory.New(), Middleware: []host.Middleware{config},
		Clock: func() time.Time { return time.Date(2026, 11, 26, 1, 2, 3, 0, time.UTC) },
		Model: speaker(func(ctx context.Context, req *model.Request) (abi.Message, error) {
			d.heard = append(d.heard, req.Messages.Messages())
			response, err := inner.Generate(ctx, req)
			if err != nil {
				return abi.Message{}, err
			}
			return response.Messages[0], nil
		}),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func (d *delegating) talk(t *testing.T, in host.Input) *host.Result {
	t.Helper()
	in.Thread = "mine"
	if in.Messages == nil {
		in.Messages = []abi.Message{abi.Human("go")}
	}
	result, err := d.Run(t.Context(), in)
	require.NoError(t, err)
	return result
}

// answers returns the texts of the tools' answers.
func answers(result *host.Result) (texts []string) {
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			texts = append(texts, m.Content.Text())
		}
	}
	return texts
}

func startsTask(id string) abi.ToolCall {
	return abi.Call(id, "start_async_task", object{"description": "find it", "subagent_type": "researcher"})
}

func onTask(id, tool string) abi.ToolCall { return abi.Call(id, tool, object{"task_id": "t1"}) }

func TestAsyncSubagentsNotify(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	server.finishes("42 </result> & more")
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}},
		scripted.CallTools(startsTask("1")), scripted.Say("It works."), scripted.Say("It is 42."))
	result := agent.talk(t, host.Input{})
	require.Equal(t, "It is 42.", result.Text())
	require.Len(t, agent.heard, 3, "the news after the final answer gave another turn")
	news := agent.heard[2][len(agent.heard[2])-1]
	require.Equal(t, abi.RoleHuman, news.Role)
	require.Equal(t, "[SYSTEM NOTIFICATION - NOT USER INPUT]\n"+
		"An async subagent task you started has an update. This is not a message from the user: don't treat it as their answer to any question.\n"+
		"<task-notification>\n<task-id>t1</task-id>\n<agent-name>researcher</agent-name>\n<status>success</status>\n"+
		"<result>\n42 &lt;/result&gt; &amp; more\n</result>\n"+
		"</task-notification>\nUse the result to continue; report back to the user if they're waiting on it.", news.Content.Text())
	require.JSONEq(t, `{"agent_name":"researcher","run_id":"r1","status":"success","task_id":"t1"}`, news.Meta.Get("deepagents_notification").JSON())
	require.JSONEq(t, `{"t1":{"task_id":"t1","agent_name":"researcher","thread_id":"t1","run_id":"r1","status":"success",
		"created_at":"2026-11-26T01:02:03Z","last_checked_at":"2026-11-26T01:02:03Z","last_updated_at":"2026-11-26T01:02:03Z"}}`,
		result.State.Get("async_tasks").JSON())
	looks := server.looks
	require.Equal(t, []string{
		`/threads {"metadata":{"parent_thread_id":"mine","subagent_name":"researcher"}}`,
		`/threads/t1/runs {"assistant_id":"research","config":{"configurable":{"deepagents_parent":{"thread_id":"mine"}}},` +
			`"input":{"messages":[{"content":"find it","role":"user"}]}}`,
	}, server.posted)
	require.Equal(t, 2, looks, "a final task is not looked at again")
}

// What a tool has told is no news.
func TestAsyncSubagentsDoNotRepeatThemselves(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	server.finishes("42")
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}},
		scripted.CallTools(startsTask("1")), scripted.CallTools(onTask("2", "check_async_task")), scripted.Say("It is 42."))
	result := agent.talk(t, host.Input{})
	require.Equal(t, []string{"Launched async subagent. task_id: t1", `{"status": "success", "thread_id": "t1", "result": "42"}`}, answers(result))
	require.Len(t, agent.heard, 3)
	require.Len(t, agent.heard[2], 5)
}

func TestAsyncSubagentsOutcomes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		run, thread object
		status      string
		says        []string // in the notification
		answer      string   // of check_async_task
	}{
		{"failure", object{"status": "error", "error": "boom"}, nil, "error", []string{
			`<details>{"error": "The subagent failed."}</details>`, "retry, try another approach",
		}, `{"status": "error", "thread_id": "t1", "error": "boom"}`},
		{
			"failure without a reason",
			object{"status": "error"},
			nil, "error",
			[]string{"</task-notification>"},
			`{"status": "error", "thread_id": "t1", "error": "The async subagent encountered an error."}`,
		},
		{"timeout", object{"status": "timeout"}, nil, "timeout", []string{"retry with a smaller task"}, `{"status": "timeout", "thread_id": "t1"}`},
		{"cancelled by others", object{"status": "interrupted"}, nil, "cancelled", []string{"outside your tools"}, `{"status": "cancelled", "thread_id": "t1"}`},
		{
			"question",
			object{"status": "success"},
			object{
				"status": "interrupted", "interrupts": object{"x": []any{object{"id": "i", "value": object{"ask": "<b>?"}}}},
			},
			"waiting",
			[]string{`<details>{"interrupts": [{"id":"i","value":{"ask":"&lt;b&gt;?"}}]}</details>`, "who answers it on the subagent's own thread"},
			`{"status": "waiting", "thread_id": "t1", "interrupts": [{"id":"i","value":{"ask":"<b>?"}}], "note": "The subagent is waiting for a human. ` +
				`The user answers it directly; you can't answer or approve it. Keep working; check again later for its result."}`,
		},
		{
			"no messages",
			object{"status": "success"},
			nil, "success",
			[]string{"<result>\n(completed with no output messages)\n</result>"},
			`{"status": "success", "thread_id": "t1", "result": "(completed with no output messages)"}`,
		},
		{
			"a thread that failed later",
			object{"status": "success"},
			object{"status": "error"},
			"error",
			[]string{"<status>error</status>"},
			`{"status": "error", "thread_id": "t1", "error": "The async subagent encountered an error."}`,
		},
		{
			"a long answer in parts",
			object{"status": "success"},
			object{"values": object{"messages": []any{object{"content": []any{strings.Repeat("é", 50_000), strings.Repeat("ü", 50_000), "more"}}}}},
			"success",
			[]string{strings.Repeat("é", 50_000) + strings.Repeat("ü", 30_000) + "\n... [cut off; use `check_async_task` for the full details]\n</result>"},
			"",
		},
		{
			"a very long answer",
			object{"status": "success"},
			object{"values": object{"messages": []any{object{"content": strings.Repeat("é", 80_001)}}}},
			"success",
			[]string{strings.Repeat("é", 80_000) + "\n... [cut off; use `check_async_task` for the full details]\n</result>"},
			"",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := newRemote(t)
			server.thread, server.run = test.thread, func(int, string) object { return test.run }
			agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}},
				scripted.CallTools(startsTask("1")), scripted.CallTools(onTask("2", "check_async_task")), scripted.Say("I see."), scripted.Say("I see."))
			result := agent.talk(t, host.Input{})
			news := agent.heard[1][len(agent.heard[1])-1].Content.Text()
			require.Contains(t, news, "<status>"+test.status+"</status>")
			for _, says := range test.says {
				require.Contains(t, news, says)
			}
			if test.answer != "" {
				require.Equal(t, test.answer, answers(result)[1])
			}
			require.Equal(t, test.status, stringOf(t, result.State.Get("async_tasks").Get("t1").Get("status")))
		})
	}
}

func stringOf(t *testing.T, raw interface{ AsString() (string, bool) }) string {
	t.Helper()
	text, ok := raw.AsString()
	require.True(t, ok)
	return text
}

// A run that a person's answer replaced hands over to the newest run.
func TestAsyncSubagentsFollowTheNewestRun(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	server.thread = object{"values": object{"messages": []any{object{"content": []any{
		"a", object{"type": "text", "text": "b"}, object{"type": "reasoning", "reasoning": "c"}, 7,
	}}}}}
	server.run = func(_ int, id string) object {
		if id == "r1" {
			server.runs = 9
			return object{"status": "interrupted"}
		}
		return object{"status": "success"}
	}
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}, Notifications: new(false)},
		scripted.CallTools(startsTask("1")), scripted.CallTools(onTask("2", "check_async_task")), scripted.Say("done"))
	result := agent.talk(t, host.Input{})
	require.JSONEq(t, `{"status": "success", "thread_id": "t1", "result": "ab"}`, answers(result)[1])
	require.Equal(t, "r9", stringOf(t, result.State.Get("async_tasks").Get("t1").Get("run_id")))
	require.Len(t, agent.heard, 3)
}

// The last message decides, in whatever form a server keeps it.
func TestAsyncSubagentsReadOtherMessages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		messages any
		result   string
	}{
		{[]any{object{"content": "a"}, "plain"}, "plain"},
		{[]any{object{"content": ""}}, ""},
		{[]any{object{"content": nil}}, ""},
		{[]any{object{"content": object{"x": 1}}}, `{"x":1}`},
		{[]any{object{}}, ""},
		{[]any{7}, "7"},
		{[]any{}, "(completed with no output messages)"},
		{"none", "(completed with no output messages)"},
		{[]any{object{"content": []any{object{"type": "text"}, object{"type": 1}, nil, []any{}}}}, ""},
	} {
		server := newRemote(t)
		server.thread = object{"values": object{"messages": test.messages}}
		server.run = func(int, string) object { return object{"status": "success"} }
		agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}, Notifications: new(false)},
			scripted.CallTools(startsTask("1")), scripted.CallTools(onTask("2", "check_async_task")),
			scripted.CallTools(abi.Call("3", "list_async_tasks", object{"status_filter": "all"})), scripted.Say("done"))
		result := agent.talk(t, host.Input{})
		var said struct {
			Result string `json:"result"`
		}
		require.NoError(t, json.Unmarshal([]byte(answers(result)[1]), &said))
		require.Equal(t, test.result, said.Result, test.messages)
	}
}

// The calls of one turn see the same state. What one of them only observes does not undo what another one does.
func TestAsyncSubagentsLookBesideChanges(t *testing.T) {
	t.Parallel()
	update := abi.Call("2", "update_async_task", object{"task_id": " t1 ", "message": "also"})
	list := abi.Call("3", "list_async_tasks", object{})
	for _, test := range []struct {
		name        string
		calls       []abi.ToolCall
		status, run string
	}{
		{"cancel, then list", []abi.ToolCall{onTask("2", "cancel_async_task"), list}, "cancelled", "r1"},
		{"check, then cancel", []abi.ToolCall{onTask("3", "check_async_task"), onTask("2", "cancel_async_task")}, "cancelled", "r1"},
		{"update, then list", []abi.ToolCall{update, list}, "running", "r2"},
		{"update, then check", []abi.ToolCall{update, onTask("3", "check_async_task")}, "running", "r2"},
		{"list alone", []abi.ToolCall{list}, "waiting", "r1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := newRemote(t)
			server.thread = object{"status": "interrupted"}
			server.run = func(int, string) object { return object{"status": "success"} }
			agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}, Notifications: new(false)},
				scripted.CallTools(startsTask("1")), scripted.CallTools(test.calls...), scripted.Say("done"))
			task := agent.talk(t, host.Input{}).State.Get("async_tasks").Get("t1")
			require.Equal(t, test.status, stringOf(t, task.Get("status")))
			require.Equal(t, test.run, stringOf(t, task.Get("run_id")))
		})
	}
}

// A status that a later version of the API adds may change, so the task is looked at again.
func TestAsyncSubagentsOfUnknownStatuses(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	server.finishes("42")
	server.run = func(look int, _ string) object {
		return object{"status": []string{"paused", "success"}[min(look, 2)-1]}
	}
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}},
		scripted.CallTools(startsTask("1")), scripted.Say("It works."), scripted.Say("It is 42."))
	result := agent.talk(t, host.Input{})
	require.Equal(t, "It is 42.", result.Text())
	require.Equal(t, "success", stringOf(t, result.State.Get("async_tasks").Get("t1").Get("status")))
}

// The list says of no task that it was looked at if it was not.
func TestAsyncSubagentsListWithoutLooks(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	server.refuse = func(string, string) (int, any) { return 403, "no entry" }
	known := object{}
	for id, status := range map[string]string{"t1": "success", "t2": "running"} {
		known[id] = object{"task_id": id, "agent_name": "researcher", "thread_id": id, "run_id": "r1", "status": status, "last_checked_at": "then"}
	}
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}, Notifications: new(false)},
		scripted.CallTools(abi.Call("1", "list_async_tasks", object{})), scripted.Say("done"))
	tasks := agent.talk(t, host.Input{State: map[string]any{"async_tasks": known}}).State.Get("async_tasks")
	for id := range known {
		require.Equal(t, "then", stringOf(t, tasks.Get(id).Get("last_checked_at")))
	}
}

func TestAsyncSubagentsFilterTheList(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}, Notifications: new(false)},
		scripted.CallTools(startsTask("1")),
		scripted.CallTools(abi.Call("2", "list_async_tasks", object{"status_filter": nil}), abi.Call("3", "list_async_tasks", object{"status_filter": "pending"}),
			abi.Call("4", "list_async_tasks", object{"status_filter": "asleep"})), scripted.Say("done"))
	said := answers(agent.talk(t, host.Input{}))
	require.Equal(t, []string{"1 tracked task(s):\n- task_id: t1  agent: researcher  status: running", "No async subagent tasks tracked."}, said[1:3])
	require.Contains(t, said[3], "status_filter")
}

func TestAsyncSubagentsAnswerWithImages(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	image := object{"type": "image", "base64": "aGk=", "mime_type": "image/png"}
	server.finishes([]any{
		object{"type": "text", "text": "see <"},
		image,
		object{"type": "image_url", "image_url": object{"url": "https://example.com/a.png"}},
		object{"type": "image"},
		object{"type": "image_url", "image_url": object{"url": "file:///etc/passwd"}},
		object{"type": "image", "url": "file:///etc/passwd"},
		object{"type": "file", "file_id": "of-another-account"},
		object{
			"type": "audio", "url": "http://example.com/a.wav", "mime_type": "audio/wav", "cache_control": object{"type": "ephemeral"},
			"file_id": "x", "id": "y", "extras": object{"z": 1},
		},
		object{"type": "video", "base64": base64.StdEncoding.EncodeToString(make([]byte, 4<<20)), "mime_type": "video/mp4"},
	})
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}},
		scripted.CallTools(startsTask("1"), startsTask("2")), scripted.CallTools(onTask("3", "check_async_task")), scripted.Say("done"), scripted.Say("done"))
	result := agent.talk(t, host.Input{})
	var checked, news abi.Content
	for _, m := range result.Messages.All() {
		switch {
		case m.ToolCallID == "3":
			checked = m.Content
		case m.Meta.Has("deepagents_notification"):
			news = m.Content
		}
	}
	kinds := func(c abi.Content) (kinds []string) {
		for _, block := range c.Blocks() {
			kinds = append(kinds, block.Type())
		}
		return kinds
	}
	require.Equal(t, []string{"text", "text", "image", "image", "audio", "text"}, kinds(checked))
	require.Equal(t, `{"status": "success", "thread_id": "t1"}`, checked.Blocks()[0].Text())
	require.Equal(t, "hi", string(checked.Blocks()[2].Data()))
	require.Equal(t, wire.Map{
		{Key: "mime_type", Value: wire.String("audio/wav")},
		{Key: "type", Value: wire.String("audio")},
		{Key: "url", Value: wire.String("http://example.com/a.wav")},
	}, checked.Blocks()[4].Fields(), "nothing else that the server sends enters the thread")
	require.Equal(t, "[Media left out: the media of this result are larger than 4 MiB.]", checked.Blocks()[5].Text())
	require.Equal(t, []string{"text", "text", "text", "image", "image", "audio", "text", "text", "text"}, kinds(news))
	require.Equal(t, "see &lt;", news.Blocks()[2].Text())
}

func TestAsyncSubagentsQueueFollowUps(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	subagent := server.subagent()
	subagent.UpdateStrategy = "enqueue"
	subagent.Webhook = "https://example.com/done"
	follow := func(id, message string) abi.ToolCall {
		return abi.Call(id, "update_async_task", object{"task_id": "t1", "message": message})
	}
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{subagent}, Notifications: new(false)},
		scripted.CallTools(startsTask("1")), scripted.CallTools(follow("2", "also"), follow("3", "and")), scripted.CallTools(follow("4", "then")),
		scripted.CallTools(onTask("5", "cancel_async_task")), scripted.CallTools(follow("6", "again")), scripted.Say("done"))
	result := agent.talk(t, host.Input{})
	const queued = "Queued follow-up to async subagent without interrupting its current run. task_id: t1"
	require.Equal(t, []string{
		"Launched async subagent. task_id: t1", queued,
		"Not sent: an earlier `update_async_task` call in this turn already queues a follow-up for task t1. " +
			"Send this follow-up in a later turn, or combine the two into one message.",
		queued, "Cancelled async subagent task: t1", "Updated async subagent. task_id: t1",
	}, answers(result))
	require.Equal(t, `/threads/t1/runs {"assistant_id":"research","config":{"configurable":{"deepagents_parent":{"thread_id":"mine"}}},`+
		`"input":{"messages":[{"content":"also","role":"user"}]},"multitask_strategy":"enqueue","webhook":"https://example.com/done"}`, server.posted[2])
	require.Equal(t, []string{"/threads/t1/runs/r3/cancel", "/threads/t1/runs/r2/cancel", "/threads/t1/runs/r1/cancel"}, server.posted[4:7])
	require.JSONEq(t, `["r3"]`, result.State.Get("async_tasks").Get("t1").Get("superseded_run_ids").JSON(), "the earlier ones are over")
	require.Equal(t, "pending", stringOf(t, result.State.Get("async_tasks").Get("t1").Get("status")))
}

func TestAsyncSubagentsForkTheConversation(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	subagent := server.subagent()
	subagent.Mode = "fork"
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{subagent}, Notifications: new(false)},
		scripted.CallTools(abi.Call("0", "list_async_tasks", object{})), scripted.CallTools(startsTask("1")), scripted.Say("done"))
	agent.talk(t, host.Input{Messages: []abi.Message{
		{Role: abi.RoleHuman, ID: "h", Content: abi.Blocks(abi.TextBlock("look"), abi.ImageBlock("image/png", []byte("hi")), abi.BlockOf(wire.Map{
			{Key: "deepagents_blob", Value: wire.String(strings.Repeat("a", 64))},
			{Key: "mime_type", Value: wire.String("image/png")},
			{Key: "type", Value: wire.String(abi.BlockImage)},
		}))},
	}})
	var sent struct {
		Input struct {
			Messages []object `json:"messages"`
		} `json:"input"`
	}
	require.NoError(t, json.Unmarshal([]byte(strings.SplitN(server.posted[1], " ", 2)[1]), &sent))
	require.Len(t, sent.Input.Messages, 4)
	require.Equal(t, []any{
		object{"type": "text", "text": "look"},
		object{"type": "image", "base64": "aGk=", "mime_type": "image/png"},
		object{
			"type": "text",
			"text": "[Binary content from an earlier read_file call is no longer available. Re-read the file if you still need it.]",
		},
	}, sent.Input.Messages[0]["content"])
	require.Equal(t, []any{"human", "h"}, []any{sent.Input.Messages[0]["type"], sent.Input.Messages[0]["id"]})
	require.Equal(t, []any{object{"type": "tool_call", "id": "0", "name": "list_async_tasks", "args": object{}}}, sent.Input.Messages[1]["tool_calls"])
	require.Equal(t, "0", sent.Input.Messages[2]["tool_call_id"])
	task, _ := sent.Input.Messages[3]["content"].(string)
	require.True(t, strings.HasPrefix(task, "[The messages above are prior conversation inherited"), task)
	require.True(t, strings.HasSuffix(task, "]\n\nfind it"), task)
}

// A server that reports one change after the other does not keep the model busy for ever, and does not fail the run.
func TestAsyncSubagentsBoundTheTurnsThatNewsGive(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	server.run = func(look int, _ string) object { return object{"status": []string{"success", "running"}[look%2]} }
	server.thread = object{"status": "interrupted"}
	turns := make([]scripted.Turn, 200)
	for i := range turns {
		turns[i] = scripted.Say("fine")
	}
	turns[0] = scripted.CallTools(startsTask("1"))
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}}, turns...)
	result := agent.talk(t, host.Input{})
	require.Equal(t, "fine", result.Text())
	require.Less(t, len(agent.heard), 100)
	require.Greater(t, len(agent.heard), 16)
}

// Failures of a server are answers, and the run goes on.
func TestAsyncSubagentsSurviveTheirServers(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(method, path string) (int, any){
		"refuses":       func(string, string) (int, any) { return 403, object{"detail": "no entry"} },
		"says nonsense": func(string, string) (int, any) { return 200, "\xff{" },
		"lists":         func(string, string) (int, any) { return 200, []any{object{}} },
		"strange ids": func(string, string) (int, any) {
			return 200, object{"thread_id": "../x", "run_id": "?", "status": "<b>"}
		},
		"only threads": func(method, path string) (int, any) {
			if method == http.MethodPost && path == "/threads" {
				return 0, nil
			}
			return 500, "<html>"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newRemote(t)
			server.refuse = refuse
			known := object{"t1": object{"task_id": "t1", "agent_name": "researcher", "thread_id": "t1", "run_id": "r1", "status": "running"}}
			agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}},
				scripted.CallTools(startsTask("1"), onTask("2", "check_async_task"),
					abi.Call("3", "update_async_task", object{"task_id": "t1", "message": "m"}), onTask("4", "cancel_async_task")),
				scripted.CallTools(abi.Call("5", "list_async_tasks", object{"status_filter": "all"})), scripted.Say("done"))
			result := agent.talk(t, host.Input{State: map[string]any{"async_tasks": known}})
			require.Equal(t, "done", result.Text())
			said := answers(result)
			for i, begins := range []string{
				"Failed to launch async subagent 'researcher': ", "Failed to get run status: ", "Failed to update async subagent: ",
			} {
				require.True(t, strings.HasPrefix(said[i], begins), said[i])
				require.Less(t, len(said[i]), 800)
			}
			status := "running"
			if said[3] == "Cancelled async subagent task: t1" { // whatever the server says with the status 200
				status = "cancelled"
			} else {
				require.True(t, strings.HasPrefix(said[3], "Failed to cancel run: "), said[3])
			}
			require.Equal(t, "1 tracked task(s):\n- task_id: t1  agent: researcher  status: "+status, said[4])
		})
	}
}

// The caller may set tasks, which then may name subagents that do not exist.
func TestAsyncSubagentsOfAnotherAgent(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	agent := delegate(t, builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent()}},
		scripted.CallTools(onTask("2", "check_async_task"), abi.Call("3", "update_async_task", object{"task_id": "t1", "message": "m"}),
			onTask("4", "cancel_async_task"), abi.Call("5", "start_async_task", object{"description": "d", "subagent_type": "writer"})),
		scripted.Say("done"))
	result := agent.talk(t, host.Input{State: map[string]any{"async_tasks": object{
		"t1": object{"task_id": "t1", "agent_name": "former", "thread_id": "t1", "run_id": "r1", "status": "running"},
	}}})
	require.Equal(t, []string{
		"Failed to get run status: there is no async subagent 'former' any more",
		"Failed to update async subagent: there is no async subagent 'former' any more",
		"Failed to cancel run: there is no async subagent 'former' any more",
		"Unknown async subagent type `writer`. Available types: `researcher`",
	}, answers(result))
	for _, wrong := range []any{"x", object{"t1": "x"}, object{"t1": object{"task_id": 7}}, object{"t1": object{"task_id": "t2"}}, object{"t1": nil}} {
		_, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}, State: map[string]any{"async_tasks": wrong}})
		require.ErrorContains(t, err, "async_tasks")
	}
}

func TestAsyncSubagentsDescribeThemselves(t *testing.T) {
	t.Parallel()
	server := newRemote(t)
	forked, queued := server.subagent(), server.subagent()
	forked.Name, forked.Mode = "writer", "fork"
	queued.Name, queued.UpdateStrategy = "critic", "enqueue"
	config := builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{server.subagent(), forked, queued}, SystemPrompt: "Delegate."}
	var system string
	descriptions := map[string]string{}
	agent, err := host.New(host.Config{Middleware: []host.Middleware{config}, Model: speaker(func(_ context.Context, req *model.Request) (abi.Message, error) {
		system = req.System.Text()
		for i := range req.Tools {
			descriptions[req.Tools[i].Name] = req.Tools[i].Description
		}
		return abi.AI("done"), nil
	})})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	const list = "- researcher: Finds things out.\n- writer: Finds things out. (inherits your conversation at launch; uses its own system prompt and tools)\n" +
		"- critic: Finds things out."
	require.Equal(t, "Delegate.\n\nAvailable async subagent types:\n\n"+list, system)
	require.Contains(t, descriptions["start_async_task"], "Available async agent types:\n"+list+"\n\n## Usage notes:")
	require.Contains(t, descriptions["update_async_task"], "\n\nException: for `critic`, follow-ups queue")
	require.Len(t, descriptions, 5)
}

func TestAsyncSubagentsConfigurationErrors(t *testing.T) {
	t.Parallel()
	fine := builtin.AsyncSubagent{Name: "a", Description: "d", GraphID: "g", URL: "http://localhost:1"}
	changed := func(change func(*builtin.AsyncSubagent)) builtin.AsyncSubagents {
		one := fine
		change(&one)
		return builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{one}}
	}
	for says, config := range map[string]builtin.AsyncSubagents{
		"At least one async subagent must be specified":                 {},
		"async_subagents[1]: name: there are two subagents \"a\"":       {AsyncSubagents: []builtin.AsyncSubagent{fine, fine}},
		"async_subagents[0]: name is missing":                           changed(func(a *builtin.AsyncSubagent) { a.Name = " " }),
		"description is missing":                                        changed(func(a *builtin.AsyncSubagent) { a.Description = "" }),
		"graph_id is missing":                                           changed(func(a *builtin.AsyncSubagent) { a.GraphID = "" }),
		"url is missing":                                                changed(func(a *builtin.AsyncSubagent) { a.URL = "" }),
		"url: the URL is invalid":                                       changed(func(a *builtin.AsyncSubagent) { a.URL = "ftp://x" }),
		`update_strategy is "reject"; use interrupt or enqueue`:         changed(func(a *builtin.AsyncSubagent) { a.UpdateStrategy = "reject" }),
		`mode is "shared"; use isolated or fork`:                        changed(func(a *builtin.AsyncSubagent) { a.Mode = "shared" }),
		"webhook: the URL is invalid; write it as https://example.com/": changed(func(a *builtin.AsyncSubagent) { a.Webhook = "here" }),
		`headers: "Host" is set by the client`:                          changed(func(a *builtin.AsyncSubagent) { a.Headers = map[string]string{"Host": "x"} }),
	} {
		_, err := host.New(host.Config{Model: scripted.NewTurns(), Middleware: []host.Middleware{config}})
		require.ErrorContains(t, err, says)
	}
}
