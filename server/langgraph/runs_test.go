package langgraph_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/internal/sse"
)

func TestAStreamAsUseStreamReadsIt(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	frames := r.stream(thread, doc{"input": human("weather Oslo"), "stream_mode": []string{"values", "messages-tuple", "custom", "updates"}})
	require.Equal(t, []string{
		"metadata", "values", "messages", "updates", "values", "updates", "custom", "messages", "updates", "values", "messages", "updates", "values", "updates",
	}, events(frames))
	require.Equal(t, doc{"progress": "asking about Oslo"}, find(frames, "custom")[0].document(t))

	values := find(frames, "values")
	last := values[len(values)-1].document(t)
	require.Equal(t, []string{"human: weather Oslo", "ai: ", "tool: sunny in Oslo", "ai: The tool said: sunny in Oslo"}, texts(last))
	ids := map[string]bool{}
	for _, m := range listIn(objectIn(last)["messages"]) {
		ids[textIn(objectIn(m)["id"])] = true
	}
	said := ""
	for _, f := range find(frames, "messages") {
		pair := listIn(f.document(t))
		piece, metadata := objectIn(pair[0]), objectIn(pair[1])
		require.Contains(t, ids, piece["id"], "a piece has the id of its message")
		require.Equal(t, "agent", metadata["graph_id"])
		require.Equal(t, thread, metadata["thread_id"])
		require.NotEmpty(t, metadata["langgraph_node"])
		if piece["type"] == "AIMessageChunk" {
			said += textIn(piece["content"])
		}
	}
	require.Equal(t, "The tool said: sunny in Oslo", said)
	require.Equal(t, []string{"human: weather Oslo", "ai: ", "tool: sunny in Oslo", "ai: The tool said: sunny in Oslo"},
		texts(r.object("GET", "/threads/"+thread, nil)["values"]))
}

// find returns the frames of an event.
func find(frames []frame, event string) (out []frame) {
	for _, f := range frames {
		if f.event == event {
			out = append(out, f)
		}
	}
	return out
}

// Wherever a stream is cut, what follows the last frame is what a client gets that was not cut.
func TestAStreamGoesOnBehindEachFrame(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	response := r.send(t.Context(), "POST", "/threads/"+thread+"/runs/stream", doc{
		"assistant_id": "agent", "input": human("weather Oslo"), "stream_resumable": true,
		"stream_mode": []string{"values", "messages-tuple", "messages", "updates", "tasks", "checkpoints", "debug", "events", "custom"},
	})
	at := response.header.Get("Location")
	require.Regexp(t, "^/threads/"+thread+"/runs/[0-9a-f-]{36}/stream$", at)
	whole := r.frames(response)
	require.Greater(t, len(whole), 50)
	require.Equal(t, whole, r.frames(r.send(t.Context(), "GET", at, nil, "Last-Event-ID", "-1")))
	for i := range whole {
		require.NotEmpty(t, whole[i].id)
		rest := r.frames(r.send(t.Context(), "GET", at, nil, "Last-Event-ID", whole[i].id))
		require.Equal(t, whole[i+1:], append([]frame{}, rest...), "after %s", whole[i].id)
	}
	require.Empty(t, r.frames(r.send(t.Context(), "GET", at, nil)), "without an id there are only events to come")
	require.Equal(t, 422, r.send(t.Context(), "GET", at, nil, "Last-Event-ID", "x").status)
}

func TestAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	frames := r.stream(thread, doc{"input": human("write tea"), "stream_mode": []string{"values", "updates"}})
	last := objectIn(frames[len(frames)-1].document(t))
	require.Contains(t, last, "__interrupt__")
	id := textIn(objectIn(listIn(last["__interrupt__"])[0])["id"])

	held := r.object("GET", "/threads/"+thread, nil)
	require.Equal(t, "interrupted", held["status"])
	require.Len(t, held["interrupts"], 1)
	state := r.object("GET", "/threads/"+thread+"/state", nil)
	task := objectIn(listIn(state["tasks"])[0])
	require.Contains(t, held["interrupts"], task["id"], "a thread names its questions by the tasks of its state")
	require.Equal(t, []any{"human_in_the_loop.after_model"}, state["next"])
	list := listIn(r.get("GET", "/threads/"+thread+"/runs?status=success&select=run_id", nil))
	require.Len(t, list, 1, "a run that asks has succeeded")

	answer := doc{"decisions": []any{doc{"type": "approve"}}}
	done := r.object("POST", "/threads/"+thread+"/runs/wait", doc{"assistant_id": "agent", "command": doc{"resume": doc{id: answer}}})
	require.Equal(t, []string{"human: write tea", "ai: I write it.", "tool: wrote tea", "ai: The tool said: wrote tea"}, texts(done))
	require.Equal(t, "idle", r.object("GET", "/threads/"+thread, nil)["status"])
	var sources []any
	for _, one := range listIn(r.get("POST", "/threads/"+thread+"/history", doc{"limit": 100})) {
		sources = append(sources, objectIn(objectIn(one)["metadata"])["source"])
	}
	require.Equal(t, []any{"loop", "loop", "loop", "loop", "loop", "loop", "input", "input"}, sources, "the input, and the empty thread before it; no answer is an input")

	other := r.thread()
	r.stream(other, doc{"input": human("write tea"), "stream_mode": []string{"values"}})
	saved := find(r.stream(other, doc{"command": doc{"resume": answer}, "stream_mode": []string{"checkpoints"}}), "checkpoints")
	require.NotEmpty(t, saved)
	for _, f := range saved {
		require.Equal(t, "loop", objectIn(objectIn(f.document(t))["metadata"])["source"])
	}

	again := r.object("POST", "/threads/"+thread+"/runs/wait", doc{"assistant_id": "agent", "command": doc{"resume": "what?"}})
	require.Equal(t, texts(done), texts(again), "an answer where nothing waits changes nothing")
}

func TestBreakpointsOfARun(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	frames := r.stream(thread, doc{"input": human("weather Oslo"), "stream_mode": []string{"updates"}, "interrupt_before": []string{"tools"}})
	require.JSONEq(t, `{"__interrupt__":[]}`, frames[len(frames)-1].data)
	held := r.object("GET", "/threads/"+thread+"/state", nil)
	require.Equal(t, []any{"tools"}, held["next"])
	require.Equal(t, "interrupted", r.object("GET", "/threads/"+thread, nil)["status"])
	done := r.object("POST", "/threads/"+thread+"/runs/wait", doc{"assistant_id": "agent", "input": nil})
	require.Equal(t, []string{"human: weather Oslo", "ai: ", "tool: sunny in Oslo", "ai: The tool said: sunny in Oslo"}, texts(done))
	require.Contains(t, r.refused(422, "POST", "/threads/"+thread+"/runs", doc{
		"assistant_id": "agent", "input": human("x"), "interrupt_before": []string{"tool"},
	}), `the step "tool"`, "a breakpoint that stops nothing is an error")
}

func TestGotoTheEnd(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	r.stream(thread, doc{"input": human("write tea")})
	done := r.object("POST", "/threads/"+thread+"/runs/wait", doc{
		"assistant_id": "agent", "command": doc{"goto": "__end__", "update": doc{"messages": []any{doc{"role": "user", "content": "never mind"}}}},
	})
	require.Equal(t, []string{"human: write tea", "ai: I write it.", "human: never mind"}, texts(done))
	require.Equal(t, "idle", r.object("GET", "/threads/"+thread, nil)["status"])
	require.Contains(t, r.refused(422, "POST", "/threads/"+thread+"/runs", doc{
		"assistant_id": "agent", "command": doc{"goto": doc{"node": "model", "input": 1}},
	}), "Send is not supported")
}

func TestAFailure(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	body := doc{"input": human("weather Oslo"), "config": doc{"recursion_limit": 1}}
	frames := r.stream(thread, body)
	require.Equal(t, []string{"metadata", "values", "error"}, events(frames))
	failure := objectIn(frames[len(frames)-1].document(t))
	require.Equal(t, "limit_error", failure["error"])
	require.Equal(t, doc{"__error__": failure}, r.get("POST", "/threads/"+thread+"/runs/wait", body))
	held := r.object("GET", "/threads/"+thread, nil)
	require.Equal(t, []any{"error", failure}, []any{held["status"], held["error"]})
}

func TestRunsOfABusyThread(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	runs := "/threads/" + thread + "/runs"
	first := textIn(r.object("POST", runs, doc{"assistant_id": "agent", "input": human("block")})["run_id"])
	<-r.began
	require.Equal(t, "busy", r.object("GET", "/threads/"+thread, nil)["status"])
	require.Equal(t, "Thread is already running a task. Wait for it to finish or choose a different multitask strategy.",
		r.refused(409, "POST", runs, doc{"assistant_id": "agent", "input": human("b"), "multitask_strategy": "reject"}))
	require.Contains(t, r.refused(409, "POST", "/threads/"+thread+"/state", doc{"values": human("c")}), "already running")
	second := r.object("POST", runs, doc{"assistant_id": "agent", "input": human("b")})
	require.Equal(t, "pending", second["status"])
	require.Empty(t, r.object("POST", runs+"/"+first+"/cancel?wait=true", nil))
	require.Equal(t, "interrupted", r.object("GET", runs+"/"+first, nil)["status"])
	require.Contains(t, texts(r.get("GET", runs+"/"+textIn(second["run_id"])+"/join", nil)), "ai: You said: b")
	require.Contains(t, r.refused(404, "POST", runs+"/"+first+"/cancel", nil), "No matching runs to cancel")

	third := textIn(r.object("POST", runs, doc{"assistant_id": "agent", "input": human("block again")})["run_id"])
	<-r.began
	fourth := textIn(r.object("POST", runs, doc{"assistant_id": "agent", "input": human("d"), "multitask_strategy": "rollback"})["run_id"])
	joined := texts(r.get("GET", runs+"/"+fourth+"/join", nil))
	require.NotContains(t, joined, "human: block again")
	require.Contains(t, joined, "ai: You said: d")
	require.Equal(t, "Not Found", r.refused(404, "GET", runs+"/"+third, nil))
}

func TestAClientThatGoesAway(t *testing.T) {
	t.Parallel()
	for mode, status := range map[string]string{"cancel": "interrupted", "continue": "success"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := setup(t, "{}")
			thread := r.thread()
			ctx, leave := context.WithCancel(t.Context())
			response := r.send(ctx, "POST", "/threads/"+thread+"/runs/stream", doc{
				"assistant_id": "agent", "input": human("block"), "on_disconnect": mode,
			})
			_, err := sse.NewReader(response.body, 0).Next()
			require.NoError(t, err)
			<-r.began
			leave()
			_ = response.body.Close()
			if mode == "continue" {
				close(r.let)
			}
			at := response.header.Get("Content-Location")
			r.get("GET", at+"/join", nil)
			require.Equal(t, status, r.object("GET", at, nil)["status"])
		})
	}
}

func TestRunsWithoutAThread(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	response := r.send(t.Context(), "POST", "/runs/stream", doc{"assistant_id": "agent", "input": human("hello")})
	require.Regexp(t, "^/runs/[0-9a-f-]{36}/stream$", response.header.Get("Location"))
	frames := r.frames(response)
	require.Equal(t, []string{"human: hello", "ai: You said: hello"}, texts(frames[len(frames)-1].document(t)))
	require.Equal(t, []string{"human: hello", "ai: You said: hello"}, texts(r.get("POST", "/runs/wait", doc{"assistant_id": "agent", "input": human("hello")})))
	batch := listIn(r.get("POST", "/runs/batch", []any{
		doc{"assistant_id": "agent", "input": human("a")}, doc{"assistant_id": "agent", "input": human("b")},
	}))
	require.Len(t, batch, 2)
	for _, b := range batch {
		require.NotEmpty(t, r.get("GET", "/runs/"+textIn(objectIn(b)["run_id"])+"/join", nil))
	}
	require.Empty(t, r.get("POST", "/threads/search", nil), "their threads are not listed")
	kept := r.send(t.Context(), "POST", "/runs/stream", doc{"assistant_id": "agent", "input": human("hello"), "on_completion": "keep"})
	require.NotEmpty(t, r.frames(kept))
	require.Len(t, r.get("POST", "/threads/search", nil), 1)
	require.Equal(t, http.StatusUnprocessableEntity, r.send(t.Context(), "POST", "/runs/batch", []any{
		doc{"assistant_id": "agent", "input": human("a")}, doc{"assistant_id": "nobody"},
	}).status)
}

func TestAllRunsOfAThread(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	response := r.send(ctx, "GET", "/threads/"+thread+"/stream", nil)
	defer func() { _ = response.body.Close() }()
	reader := sse.NewReader(response.body, 0)
	for _, said := range []string{"one", "two"} {
		r.get("POST", "/threads/"+thread+"/runs/wait", doc{"assistant_id": "agent", "input": human(said)})
		var seen []string
		for len(seen) == 0 || seen[len(seen)-1] != `run_done` {
			e, err := reader.Next()
			require.NoError(t, err)
			f := frame{e.Name, e.ID, string(e.Data)}
			name := e.Name
			if done, ok := objectIn(f.document(t))["status"].(string); ok {
				name = done
			}
			seen = append(seen, name)
		}
		require.Equal(t, []string{"metadata", "values", "values", "run_done"}, seen)
	}
	last := reader.LastID()
	r.get("POST", "/threads/"+thread+"/runs/wait", doc{"assistant_id": "agent", "input": human("three")})
	later := r.send(ctx, "GET", "/threads/"+thread+"/stream", nil, "Last-Event-ID", last)
	defer func() { _ = later.body.Close() }()
	e, err := sse.NewReader(later.body, 0).Next()
	require.NoError(t, err)
	require.Equal(t, "metadata", e.Name, "the third run from its beginning")
}

// A client that sends a refused batch again must not have some of its runs twice.
func TestABatchIsSubmittedAsAWhole(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {runs_per_owner: 2}")
	blocked := doc{"assistant_id": "agent", "input": human("block")}
	require.Contains(t, r.refused(http.StatusTooManyRequests, "POST", "/runs/batch", []any{blocked, blocked, blocked}), "too many runs")
	require.Eventually(t, func() bool {
		status, _ := r.do("POST", "/runs/batch", []any{blocked, blocked})
		return status == http.StatusOK
	}, 10*eventually, 10*time.Millisecond, "the two runs of the first batch are gone")
	close(r.let)
}
