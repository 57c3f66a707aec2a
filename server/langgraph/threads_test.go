package langgraph_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThreads(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	made := r.object("POST", "/threads", doc{"metadata": doc{"user": "ada"}})
	id := textIn(made["thread_id"])
	require.Equal(t, []any{"idle", doc{"user": "ada"}, nil, doc{}}, []any{made["status"], made["metadata"], made["values"], made["config"]})
	require.Equal(t, "Thread with ID "+id+" already exists", r.refused(409, "POST", "/threads", doc{"thread_id": id}))
	require.Equal(t, id, r.object("POST", "/threads", doc{"thread_id": id, "if_exists": "do_nothing"})["thread_id"])
	changed := r.object("PATCH", "/threads/"+id, doc{"metadata": doc{"title": "x"}})
	require.Equal(t, doc{"user": "ada", "title": "x"}, changed["metadata"])

	state := r.object("GET", "/threads/"+id+"/state", nil)
	for _, none := range []string{"metadata", "created_at", "checkpoint", "parent_checkpoint", "checkpoint_id", "parent_checkpoint_id"} {
		require.Contains(t, state, none)
		require.Nil(t, state[none])
	}
	require.Empty(t, state["values"])
	require.Empty(t, r.get("POST", "/threads/"+id+"/history", doc{"limit": 10}))

	other := r.thread()
	response := r.send(t.Context(), "POST", "/threads/search", doc{"limit": 1, "sort_by": "created_at", "sort_order": "asc"})
	require.NoError(t, response.body.Close())
	require.Equal(t, []string{"2", "1"}, []string{response.header.Get("X-Pagination-Total"), response.header.Get("X-Pagination-Next")})
	require.Equal(t, []any{doc{"thread_id": other, "status": "idle"}},
		r.get("POST", "/threads/search", doc{"ids": []string{other}, "select": []string{"thread_id", "status"}}))
	require.InDelta(t, 1, r.get("POST", "/threads/count", doc{"metadata": doc{"user": "ada"}}), 0)
	require.NotEmpty(t, r.refused(422, "POST", "/threads/prune", doc{"thread_ids": []string{other, "x"}}), "nothing is removed, as the next line shows")
	require.Equal(t, doc{"pruned_count": 1.0}, r.get("POST", "/threads/prune", doc{"thread_ids": []string{other, other}}))

	require.Nil(t, r.get("DELETE", "/threads/"+id, nil))
	require.Equal(t, "Thread with ID "+id+" not found", r.refused(404, "GET", "/threads/"+id, nil))
	require.Equal(t, "Invalid thread ID: must be a UUID", r.refused(422, "GET", "/threads/not-a-uuid", nil))
	require.Contains(t, r.refused(422, "POST", "/threads", doc{"metadata": 3}), `is not of type "object"`)
	require.Contains(t, r.refused(422, "POST", "/threads/search", doc{"limit": -1}), "-1 is less than the minimum of 1")
}

// A client edits a message by going on from the parent of the first state that has it.
func TestAMessageIsEdited(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	wait := func(body doc) any {
		body["assistant_id"] = "agent"
		return r.get("POST", "/threads/"+thread+"/runs/wait", body)
	}
	wait(doc{"input": human("one")})
	wait(doc{"input": human("two")})
	history := func() []any {
		return listIn(r.get("POST", "/threads/"+thread+"/history", doc{"limit": 100}))
	}
	parentOf := func(text string) any {
		all := history()
		for _, one := range slices.Backward(all) { // the oldest first
			state := objectIn(one)
			if said := texts(state["values"]); len(said) > 0 && said[len(said)-1] == "human: "+text {
				return state["parent_checkpoint"]
			}
		}
		return nil
	}
	for text, want := range map[string][]string{
		"two": {"human: one", "ai: You said: one", "human: 2", "ai: You said: 2"},
		"one": {"human: 2", "ai: You said: 2"},
	} {
		at := parentOf(text)
		require.NotNil(t, at)
		require.Equal(t, want, texts(wait(doc{"input": human("2"), "checkpoint": at})))
		frames := r.stream(thread, doc{"input": human("2"), "checkpoint": at, "stream_mode": []string{"values"}})
		require.Equal(t, want, texts(frames[len(frames)-1].document(t)))
		require.Equal(t, want[:len(want)-1], texts(frames[1].document(t)), "the first values are those after the input")
	}
	all := history()
	oldest := objectIn(all[len(all)-1])
	require.Equal(t, []any{"00000000000000000000", nil, []any{"__start__"}}, []any{oldest["checkpoint_id"], oldest["parent_checkpoint"], oldest["next"]})
	var ids []string
	for _, one := range all {
		ids = append(ids, textIn(objectIn(one)["checkpoint_id"]))
	}
	slices.Reverse(ids)
	require.Greater(t, len(ids), 10)
	require.True(t, slices.IsSorted(ids), "clients order checkpoints by their names: %v", ids)
	for _, one := range all[:len(all)-1] {
		require.NotNil(t, objectIn(one)["parent_checkpoint"])
	}
	inputs := listIn(r.get("POST", "/threads/"+thread+"/history", doc{"limit": 100, "metadata": doc{"source": "input"}}))
	require.Less(t, len(inputs), len(all))
	newest := objectIn(all[0])
	before := listIn(r.get("POST", "/threads/"+thread+"/history", doc{"limit": 1, "before": newest["checkpoint"]}))
	require.Equal(t, all[1], before[0])
	require.Equal(t, before, r.get("GET", "/threads/"+thread+"/history?limit=1&before="+textIn(newest["checkpoint_id"]), nil))
	require.Equal(t, newest, r.get("GET", "/threads/"+thread+"/state/"+textIn(newest["checkpoint_id"]), nil))
	require.Equal(t, newest, r.get("POST", "/threads/"+thread+"/state/checkpoint", doc{"checkpoint": newest["checkpoint"]}))
	unknown := r.object("GET", "/threads/"+thread+"/state/1f0c7c5e-aaaa-6d28-8000-1db9e5e1f6a4", nil)
	require.Empty(t, unknown["values"], "as in LangGraph, an unknown checkpoint is an empty state")
}

func TestStatesAreChanged(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	update := func(body doc) doc { return r.object("POST", "/threads/"+thread+"/state", body) }
	first := update(doc{"values": human("begin"), "as_node": "__start__"})
	require.Equal(t, first["checkpoint"], first["configurable"])
	require.Equal(t, []any{"model"}, r.object("GET", "/threads/"+thread+"/state", nil)["next"])
	done := r.object("POST", "/threads/"+thread+"/runs/wait", doc{"assistant_id": "agent", "input": nil})
	require.Equal(t, []string{"human: begin", "ai: You said: begin"}, texts(done))

	id := objectIn(listIn(done["messages"])[0])["id"]
	update(doc{"values": doc{"messages": []any{doc{"type": "remove", "id": id}}, "unknown": 1}})
	require.Equal(t, []string{"ai: You said: begin"}, texts(r.object("GET", "/threads/"+thread+"/state", nil)["values"]))
	update(doc{"values": doc{"messages": []any{doc{"type": "remove", "id": "__remove_all__"}, "anew"}}})
	require.Equal(t, []string{"human: anew"}, texts(r.object("GET", "/threads/"+thread, nil)["values"]))
	require.Contains(t, r.refused(422, "POST", "/threads/"+thread+"/state", doc{"values": human("x"), "as_node": "nowhere"}), "nowhere")

	copied := r.object("POST", "/threads/"+thread+"/copy", nil)
	require.NotEqual(t, thread, copied["thread_id"])
	require.Equal(t, []string{"human: anew"}, texts(copied["values"]))
	r.get("DELETE", "/threads/"+thread, nil)
	require.Equal(t, []string{"human: anew"}, texts(r.object("GET", "/threads/"+textIn(copied["thread_id"])+"/state", nil)["values"]))

	begun := r.object("POST", "/threads", doc{"supersteps": []any{
		doc{"updates": []any{doc{"values": human("a"), "as_node": "__start__"}}},
		doc{"updates": []any{doc{"values": doc{"messages": []any{[]string{"ai", "b"}}}, "as_node": "model"}}},
	}})
	require.Equal(t, []string{"human: a", "ai: b"}, texts(begun["values"]))
}

func TestAssistants(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	own := objectIn(listIn(r.get("POST", "/assistants/search", doc{"graph_id": "agent"}))[0])
	require.Equal(t, "fe096781-5601-53d2-b2f6-0d3403f7e9ca", own["assistant_id"], "LangGraph's id for a graph of this name")
	require.Equal(t, doc{"created_by": "system"}, own["metadata"])
	at := "/assistants/" + textIn(own["assistant_id"])
	require.Equal(t, own, r.get("GET", at, nil))
	require.Contains(t, r.refused(422, "GET", "/assistants/agent", nil), "Invalid assistant ID")
	require.Equal(t, r.get("GET", at+"/graph?xray=true", nil), r.get("GET", "/assistants/agent/graph", nil))
	require.Contains(t, objectIn(r.object("GET", at+"/schemas", nil)["input_schema"])["properties"], "messages")
	require.Empty(t, r.get("GET", at+"/subgraphs?recurse=true", nil))
	require.Contains(t, r.refused(409, "PATCH", at, doc{"name": "x"}), "stands for an agent")
	require.Contains(t, r.refused(409, "DELETE", at, nil), "stands for an agent")

	made := r.object("POST", "/assistants", doc{"graph_id": "agent", "name": "mine", "config": doc{"configurable": doc{"k": 1}}})
	id := textIn(made["assistant_id"])
	require.Equal(t, []any{doc{"k": 1.0}, 1.0}, []any{made["context"], made["version"]})
	require.Equal(t, "Assistant "+id+" already exists", r.refused(409, "POST", "/assistants", doc{"graph_id": "agent", "assistant_id": id}))
	require.InDelta(t, 2, r.object("PATCH", "/assistants/"+id, doc{"name": "mine2"})["version"], 0)
	require.Len(t, r.get("POST", "/assistants/"+id+"/versions", doc{}), 2)
	require.Equal(t, "mine", r.object("POST", "/assistants/"+id+"/latest", doc{"version": 1})["name"])
	require.InDelta(t, 2, r.get("POST", "/assistants/count", doc{}), 0)
	page := listIn(r.get("POST", "/assistants/search", doc{"limit": 1, "offset": 1}))
	require.Equal(t, id, objectIn(page[0])["assistant_id"])
	run := r.object("POST", "/runs", doc{"assistant_id": id, "input": human("hi")})
	require.Equal(t, id, run["assistant_id"])
	r.get("GET", "/runs/"+textIn(run["run_id"])+"/join", nil)
	require.Nil(t, r.get("DELETE", "/assistants/"+id, nil))
	require.Equal(t, "Not Found", r.refused(404, "GET", "/assistants/"+id, nil))
	require.Equal(t, "Graph 'none' not found. Expected one of: ['agent']", r.refused(404, "POST", "/assistants", doc{"graph_id": "none"}))
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	made := r.object("POST", "/threads/"+thread+"/runs/crons", doc{"assistant_id": "agent", "schedule": "* * * * * *", "input": human("tick")})
	require.Equal(t, []any{thread, true, "fe096781-5601-53d2-b2f6-0d3403f7e9ca"}, []any{made["thread_id"], made["enabled"], made["assistant_id"]})
	at := "/runs/crons/" + textIn(made["cron_id"])
	require.Eventually(t, func() bool {
		values, ok := r.object("GET", "/threads/"+thread, nil)["values"].(doc)
		return ok && len(texts(values)) >= 2
	}, 10*eventually, eventually/20)
	require.Equal(t, false, r.object("PATCH", at, doc{"enabled": false})["enabled"])
	require.Equal(t, false, objectIn(r.object("GET", at, nil)["payload"])["enabled"])
	daily := r.object("POST", "/runs/crons", doc{"assistant_id": "agent", "schedule": "0 0 1 1 *", "timezone": "Europe/Oslo", "on_run_completed": "keep"})
	require.Equal(t, []any{nil, "keep", "Europe/Oslo"}, []any{daily["thread_id"], daily["on_run_completed"], daily["timezone"]})
	require.InDelta(t, 1, r.get("POST", "/runs/crons/count", doc{"thread_id": thread}), 0)
	require.Len(t, r.get("POST", "/runs/crons/search", doc{}), 2)
	require.Equal(t, doc{}, daily["metadata"])
	dailyAt := "/runs/crons/" + textIn(daily["cron_id"])
	for _, change := range []doc{{"stream_mode": 3}, {"stream_mode": "nothing"}, {"interrupt_before": "nowhere"}, {"webhook": "file:///etc/passwd"}} {
		require.NotEmpty(t, r.refused(422, "PATCH", dailyAt, change), "a run that could not be started: %v", change)
	}
	require.Equal(t, "updates", objectIn(r.object("PATCH", dailyAt, doc{"stream_mode": "updates"})["payload"])["stream_mode"])
	require.Nil(t, r.get("DELETE", at, nil))
	require.Equal(t, "Not Found", r.refused(404, "GET", at, nil))
	require.Contains(t, r.refused(422, "POST", "/runs/crons", doc{"assistant_id": "agent", "schedule": "nonsense"}), "Invalid cron schedule: 'nonsense'")
	require.Contains(t, r.refused(422, "POST", "/runs/crons", doc{"assistant_id": "agent", "schedule": "@daily", "interrupt_before": "tool"}), `"tool"`,
		"a schedule whose runs could not start is refused")
}

func TestItems(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	put := func(labels []string, key string, value any) {
		require.Nil(t, r.get("PUT", "/store/items", doc{"namespace": labels, "key": key, "value": value}))
	}
	put([]string{"users", "ada"}, "a", doc{"likes": "tea", "n": 1})
	put([]string{"users", "ada"}, "b", doc{"likes": "bread", "n": 2})
	put([]string{"users", "eve"}, "a", doc{"likes": "tea"})
	require.Equal(t, doc{"likes": "tea", "n": 1.0}, r.object("GET", "/store/items?namespace=users.ada&key=a", nil)["value"])
	require.Nil(t, r.get("GET", "/store/items?namespace=users.ada&key=none", nil))
	search := func(body doc) []any { return listIn(r.object("POST", "/store/items/search", body)["items"]) }
	require.Len(t, search(doc{"namespace_prefix": []string{"users"}}), 3)
	require.Len(t, search(doc{"namespace_prefix": []string{"users"}, "filter": doc{"likes": "tea"}}), 2)
	require.Len(t, search(doc{"namespace_prefix": []string{"users"}, "filter": doc{"n": doc{"$gt": 1}}}), 1)
	require.Len(t, search(doc{"namespace_prefix": []string{"users"}, "query": "tea"}), 3, "as in LangGraph, without an index")
	require.Equal(t, []any{[]any{"users", "ada"}, []any{"users", "eve"}}, r.object("POST", "/store/namespaces", doc{"prefix": []string{"users"}})["namespaces"])
	require.Equal(t, []any{[]any{"users"}}, r.object("POST", "/store/namespaces", doc{"max_depth": 1})["namespaces"])
	require.Equal(t, []any{[]any{"users", "eve"}}, r.object("POST", "/store/namespaces", doc{"suffix": []string{"eve"}})["namespaces"])
	require.Nil(t, r.get("DELETE", "/store/items", doc{"namespace": []string{"users", "ada"}, "key": "a"}))
	require.Nil(t, r.get("GET", "/store/items?namespace=users.ada&key=a", nil))
	require.Equal(t, "Namespace label 'a.b' must be a non-empty string without periods",
		r.refused(422, "PUT", "/store/items", doc{"namespace": []string{"a.b"}, "key": "x", "value": doc{}}))
	require.Equal(t, "Namespace cannot be empty.", r.refused(400, "PUT", "/store/items", doc{"namespace": []string{}, "key": "x", "value": doc{}}))
	require.Contains(t, r.refused(422, "PUT", "/store/items", doc{"namespace": []string{"x"}, "key": "x", "value": 3}), `is not of type "object"`)
}
