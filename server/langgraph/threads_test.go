package langgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThreads(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	made := r.object("POST", "/threads", map[string]any{"metadata": map[string]any{"user": "ada"}})
	id := made["thread_id"].(string)
	require.Equal(t, []any{"idle", map[string]any{"user": "ada"}, nil, map[string]any{}}, []any{made["status"], made["metadata"], made["values"], made["config"]})
	require.Equal(t, "Thread with ID "+id+" already exists", r.refused(409, "POST", "/threads", map[string]any{"thread_id": id}))
	require.Equal(t, id, r.object("POST", "/threads", map[string]any{"thread_id": id, "if_exists": "do_nothing"})["thread_id"])
	changed := r.object("PATCH", "/threads/"+id, map[string]any{"metadata": map[string]any{"title": "x"}})
	require.Equal(t, map[string]any{"user": "ada", "title": "x"}, changed["metadata"])

	state := r.object("GET", "/threads/"+id+"/state", nil)
	for _, none := range []string{"metadata", "created_at", "checkpoint", "parent_checkpoint", "checkpoint_id", "parent_checkpoint_id"} {
		require.Contains(t, state, none)
		require.Nil(t, state[none])
	}
	require.Empty(t, state["values"])
	require.Empty(t, r.get("POST", "/threads/"+id+"/history", map[string]any{"limit": 10}))

	other := r.thread()
	response := r.send(t.Context(), "POST", "/threads/search", map[string]any{"limit": 1, "sort_by": "created_at", "sort_order": "asc"})
	require.NoError(t, response.Body.Close())
	require.Equal(t, []string{"2", "1"}, []string{response.Header.Get("X-Pagination-Total"), response.Header.Get("X-Pagination-Next")})
	require.Equal(t, []any{map[string]any{"thread_id": other, "status": "idle"}},
		r.get("POST", "/threads/search", map[string]any{"ids": []string{other}, "select": []string{"thread_id", "status"}}))
	require.InDelta(t, 1, r.get("POST", "/threads/count", map[string]any{"metadata": map[string]any{"user": "ada"}}), 0)
	require.Equal(t, map[string]any{"pruned_count": 1.0}, r.get("POST", "/threads/prune", map[string]any{"thread_ids": []string{other, other}}))

	require.Nil(t, r.get("DELETE", "/threads/"+id, nil))
	require.Equal(t, "Thread with ID "+id+" not found", r.refused(404, "GET", "/threads/"+id, nil))
	require.Equal(t, "Invalid thread ID: must be a UUID", r.refused(422, "GET", "/threads/not-a-uuid", nil))
	require.Contains(t, r.refused(422, "POST", "/threads", map[string]any{"metadata": 3}), `is not of type "object"`)
	require.Contains(t, r.refused(422, "POST", "/threads/search", map[string]any{"limit": -1}), "-1 is less than the minimum of 1")
}

// A client edits a message by going on from the parent of the first state that has it.
func TestAMessageIsEdited(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	wait := func(body map[string]any) any {
		body["assistant_id"] = "agent"
		return r.get("POST", "/threads/"+thread+"/runs/wait", body)
	}
	wait(map[string]any{"input": human("one")})
	wait(map[string]any{"input": human("two")})
	history := func() []any { return r.get("POST", "/threads/"+thread+"/history", map[string]any{"limit": 100}).([]any) }
	parentOf := func(text string) any {
		all := history()
		for i := len(all) - 1; i >= 0; i-- { // the oldest first
			state := all[i].(map[string]any)
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
		require.Equal(t, want, texts(wait(map[string]any{"input": human("2"), "checkpoint": at})))
		frames := r.stream(thread, map[string]any{"input": human("2"), "checkpoint": at, "stream_mode": []string{"values"}})
		require.Equal(t, want, texts(frames[len(frames)-1].document(t)))
		require.Equal(t, want[:len(want)-1], texts(frames[1].document(t)), "the first values are those after the input")
	}
	all := history()
	oldest := all[len(all)-1].(map[string]any)
	require.Equal(t, []any{"0", nil, []any{"__start__"}}, []any{oldest["checkpoint_id"], oldest["parent_checkpoint"], oldest["next"]})
	for _, one := range all[:len(all)-1] {
		require.NotNil(t, one.(map[string]any)["parent_checkpoint"])
	}
	inputs := r.get("POST", "/threads/"+thread+"/history", map[string]any{"limit": 100, "metadata": map[string]any{"source": "input"}}).([]any)
	require.Less(t, len(inputs), len(all))
	newest := all[0].(map[string]any)
	before := r.get("POST", "/threads/"+thread+"/history", map[string]any{"limit": 1, "before": newest["checkpoint"]}).([]any)
	require.Equal(t, all[1], before[0])
	require.Equal(t, before, r.get("GET", "/threads/"+thread+"/history?limit=1&before="+newest["checkpoint_id"].(string), nil))
	require.Equal(t, newest, r.get("GET", "/threads/"+thread+"/state/"+newest["checkpoint_id"].(string), nil))
	require.Equal(t, newest, r.get("POST", "/threads/"+thread+"/state/checkpoint", map[string]any{"checkpoint": newest["checkpoint"]}))
	unknown := r.object("GET", "/threads/"+thread+"/state/1f0c7c5e-aaaa-6d28-8000-1db9e5e1f6a4", nil)
	require.Empty(t, unknown["values"], "as in LangGraph, an unknown checkpoint is an empty state")
}

func TestStatesAreChanged(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	update := func(body map[string]any) map[string]any { return r.object("POST", "/threads/"+thread+"/state", body) }
	first := update(map[string]any{"values": human("begin"), "as_node": "__start__"})
	require.Equal(t, first["checkpoint"], first["configurable"])
	require.Equal(t, []any{"model"}, r.object("GET", "/threads/"+thread+"/state", nil)["next"])
	done := r.object("POST", "/threads/"+thread+"/runs/wait", map[string]any{"assistant_id": "agent", "input": nil})
	require.Equal(t, []string{"human: begin", "ai: You said: begin"}, texts(done))

	id := done["messages"].([]any)[0].(map[string]any)["id"]
	update(map[string]any{"values": map[string]any{"messages": []any{map[string]any{"type": "remove", "id": id}}, "unknown": 1}})
	require.Equal(t, []string{"ai: You said: begin"}, texts(r.object("GET", "/threads/"+thread+"/state", nil)["values"]))
	update(map[string]any{"values": map[string]any{"messages": []any{map[string]any{"type": "remove", "id": "__remove_all__"}, "anew"}}})
	require.Equal(t, []string{"human: anew"}, texts(r.object("GET", "/threads/"+thread, nil)["values"]))
	require.Contains(t, r.refused(422, "POST", "/threads/"+thread+"/state", map[string]any{"values": human("x"), "as_node": "nowhere"}), "nowhere")

	copied := r.object("POST", "/threads/"+thread+"/copy", nil)
	require.NotEqual(t, thread, copied["thread_id"])
	require.Equal(t, []string{"human: anew"}, texts(copied["values"]))
	r.get("DELETE", "/threads/"+thread, nil)
	require.Equal(t, []string{"human: anew"}, texts(r.object("GET", "/threads/"+copied["thread_id"].(string)+"/state", nil)["values"]))

	begun := r.object("POST", "/threads", map[string]any{"supersteps": []any{
		map[string]any{"updates": []any{map[string]any{"values": human("a"), "as_node": "__start__"}}},
		map[string]any{"updates": []any{map[string]any{"values": map[string]any{"messages": []any{[]string{"ai", "b"}}}, "as_node": "model"}}},
	}})
	require.Equal(t, []string{"human: a", "ai: b"}, texts(begun["values"]))
}

func TestAssistants(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	own := r.get("POST", "/assistants/search", map[string]any{"graph_id": "agent"}).([]any)[0].(map[string]any)
	require.Equal(t, "fe096781-5601-53d2-b2f6-0d3403f7e9ca", own["assistant_id"], "LangGraph's id for a graph of this name")
	require.Equal(t, map[string]any{"created_by": "system"}, own["metadata"])
	at := "/assistants/" + own["assistant_id"].(string)
	require.Equal(t, own, r.get("GET", at, nil))
	require.Contains(t, r.refused(422, "GET", "/assistants/agent", nil), "Invalid assistant ID")
	require.Equal(t, r.get("GET", at+"/graph?xray=true", nil), r.get("GET", "/assistants/agent/graph", nil))
	require.Contains(t, r.object("GET", at+"/schemas", nil)["input_schema"].(map[string]any)["properties"], "messages")
	require.Empty(t, r.get("GET", at+"/subgraphs?recurse=true", nil))
	require.Contains(t, r.refused(409, "PATCH", at, map[string]any{"name": "x"}), "stands for an agent")
	require.Contains(t, r.refused(409, "DELETE", at, nil), "stands for an agent")

	made := r.object("POST", "/assistants", map[string]any{"graph_id": "agent", "name": "mine", "config": map[string]any{"configurable": map[string]any{"k": 1}}})
	id := made["assistant_id"].(string)
	require.Equal(t, []any{map[string]any{"k": 1.0}, 1.0}, []any{made["context"], made["version"]})
	require.Equal(t, "Assistant "+id+" already exists", r.refused(409, "POST", "/assistants", map[string]any{"graph_id": "agent", "assistant_id": id}))
	require.InDelta(t, 2, r.object("PATCH", "/assistants/"+id, map[string]any{"name": "mine2"})["version"], 0)
	require.Len(t, r.get("POST", "/assistants/"+id+"/versions", map[string]any{}), 2)
	require.Equal(t, "mine", r.object("POST", "/assistants/"+id+"/latest", map[string]any{"version": 1})["name"])
	require.InDelta(t, 2, r.get("POST", "/assistants/count", map[string]any{}), 0)
	page := r.get("POST", "/assistants/search", map[string]any{"limit": 1, "offset": 1}).([]any)
	require.Equal(t, id, page[0].(map[string]any)["assistant_id"])
	run := r.object("POST", "/runs", map[string]any{"assistant_id": id, "input": human("hi")})
	require.Equal(t, id, run["assistant_id"])
	r.get("GET", "/runs/"+run["run_id"].(string)+"/join", nil)
	require.Nil(t, r.get("DELETE", "/assistants/"+id, nil))
	require.Equal(t, "Not Found", r.refused(404, "GET", "/assistants/"+id, nil))
	require.Equal(t, "Graph 'none' not found. Expected one of: ['agent']", r.refused(404, "POST", "/assistants", map[string]any{"graph_id": "none"}))
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	made := r.object("POST", "/threads/"+thread+"/runs/crons", map[string]any{"assistant_id": "agent", "schedule": "* * * * * *", "input": human("tick")})
	require.Equal(t, []any{thread, true, "fe096781-5601-53d2-b2f6-0d3403f7e9ca"}, []any{made["thread_id"], made["enabled"], made["assistant_id"]})
	at := "/runs/crons/" + made["cron_id"].(string)
	require.Eventually(t, func() bool {
		values, ok := r.object("GET", "/threads/"+thread, nil)["values"].(map[string]any)
		return ok && len(texts(values)) >= 2
	}, 10*eventually, eventually/20)
	require.Equal(t, false, r.object("PATCH", at, map[string]any{"enabled": false})["enabled"])
	require.Equal(t, false, r.object("GET", at, nil)["payload"].(map[string]any)["enabled"])
	daily := r.object("POST", "/runs/crons", map[string]any{"assistant_id": "agent", "schedule": "0 0 1 1 *", "timezone": "Europe/Oslo", "on_run_completed": "keep"})
	require.Equal(t, []any{nil, "keep", "Europe/Oslo"}, []any{daily["thread_id"], daily["on_run_completed"], daily["timezone"]})
	require.InDelta(t, 1, r.get("POST", "/runs/crons/count", map[string]any{"thread_id": thread}), 0)
	require.Len(t, r.get("POST", "/runs/crons/search", map[string]any{}), 2)
	require.Nil(t, r.get("DELETE", at, nil))
	require.Equal(t, "Not Found", r.refused(404, "GET", at, nil))
	require.Contains(t, r.refused(422, "POST", "/runs/crons", map[string]any{"assistant_id": "agent", "schedule": "nonsense"}), "Invalid cron schedule: 'nonsense'")
	require.Contains(t, r.refused(422, "POST", "/runs/crons", map[string]any{"assistant_id": "agent", "schedule": "@daily", "interrupt_before": "tool"}), `"tool"`,
		"a schedule whose runs could not start is refused")
}

func TestItems(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	put := func(labels []string, key string, value any) {
		require.Nil(t, r.get("PUT", "/store/items", map[string]any{"namespace": labels, "key": key, "value": value}))
	}
	put([]string{"users", "ada"}, "a", map[string]any{"likes": "tea", "n": 1})
	put([]string{"users", "ada"}, "b", map[string]any{"likes": "bread", "n": 2})
	put([]string{"users", "eve"}, "a", map[string]any{"likes": "tea"})
	require.Equal(t, map[string]any{"likes": "tea", "n": 1.0}, r.object("GET", "/store/items?namespace=users.ada&key=a", nil)["value"])
	require.Nil(t, r.get("GET", "/store/items?namespace=users.ada&key=none", nil))
	search := func(body map[string]any) []any { return r.object("POST", "/store/items/search", body)["items"].([]any) }
	require.Len(t, search(map[string]any{"namespace_prefix": []string{"users"}}), 3)
	require.Len(t, search(map[string]any{"namespace_prefix": []string{"users"}, "filter": map[string]any{"likes": "tea"}}), 2)
	require.Len(t, search(map[string]any{"namespace_prefix": []string{"users"}, "filter": map[string]any{"n": map[string]any{"$gt": 1}}}), 1)
	require.Len(t, search(map[string]any{"namespace_prefix": []string{"users"}, "query": "tea"}), 3, "as in LangGraph, without an index")
	require.Equal(t, []any{[]any{"users", "ada"}, []any{"users", "eve"}}, r.object("POST", "/store/namespaces", map[string]any{"prefix": []string{"users"}})["namespaces"])
	require.Equal(t, []any{[]any{"users"}}, r.object("POST", "/store/namespaces", map[string]any{"max_depth": 1})["namespaces"])
	require.Equal(t, []any{[]any{"users", "eve"}}, r.object("POST", "/store/namespaces", map[string]any{"suffix": []string{"eve"}})["namespaces"])
	require.Nil(t, r.get("DELETE", "/store/items", map[string]any{"namespace": []string{"users", "ada"}, "key": "a"}))
	require.Nil(t, r.get("GET", "/store/items?namespace=users.ada&key=a", nil))
	require.Equal(t, "Namespace label 'a.b' must be a non-empty string without periods",
		r.refused(422, "PUT", "/store/items", map[string]any{"namespace": []string{"a.b"}, "key": "x", "value": map[string]any{}}))
	require.Equal(t, "Namespace cannot be empty.", r.refused(400, "PUT", "/store/items", map[string]any{"namespace": []string{}, "key": "x", "value": map[string]any{}}))
	require.Contains(t, r.refused(422, "PUT", "/store/items", map[string]any{"namespace": []string{"x"}, "key": "x", "value": 3}), `is not of type "object"`)
}
