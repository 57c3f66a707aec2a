package langgraph_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/internal/sse"
)

// eventTypes returns the types of the events of a page.
func eventTypes(page doc) (out []string) {
	for _, e := range listIn(page["events"]) {
		out = append(out, textIn(objectIn(objectIn(e)["event"])["type"]))
	}
	return out
}

// The events of a thread are there page by page, in the order in which they happened, also those of several runs.
func TestEventsOfAThread(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	at := "/threads/" + thread + "/events"
	empty := r.object("GET", at, nil)
	require.Equal(t, doc{"events": []any{}, "next": "0.0", "more": false}, empty)
	r.stream(thread, doc{"input": human("weather Rome")})
	r.stream(thread, doc{"input": human("hello")})

	whole := r.object("GET", at, nil)

	kinds := eventTypes(whole)
	require.Equal(t, "run", kinds[0])
	require.Equal(t, "end", kinds[len(kinds)-1])
	require.Len(t, slices.DeleteFunc(slices.Clone(kinds), func(s string) bool { return s != "run" }), 2)
	require.Contains(t, kinds, "tool")
	require.Contains(t, kinds, "checkpoint")
	var paged []any
	for since, more := "", true; more; {
		page := r.object("GET", at+"?limit=7&since="+since, nil)
		require.LessOrEqual(t, len(listIn(page["events"])), 7)
		paged = append(paged, listIn(page["events"])...)
		since = textIn(page["next"])
		more, _ = page["more"].(bool)
	}
	require.Equal(t, whole["events"], paged)
	require.Equal(t, []any{}, r.object("GET", at+"?since="+textIn(whole["next"]), nil)["events"])
	require.Contains(t, r.refused(http.StatusUnprocessableEntity, "GET", at+"?since=x", nil), "not an id of an event")
	require.Contains(t, r.refused(http.StatusUnprocessableEntity, "GET", at+"?limit=0", nil), "limit")
}

// A client that follows a thread sees each event once, with the end of each run, whatever runs begin while it is there.
func TestFollowingAThread(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	r.stream(thread, doc{"input": human("one")})
	before := r.object("GET", "/threads/"+thread+"/events", nil)
	following := r.send(t.Context(), "GET", "/threads/"+thread+"/events?follow=true&since="+textIn(before["next"]), nil)
	require.Equal(t, http.StatusOK, following.status)
	reader := sse.NewReader(following.body, 0)
	over, err := reader.Next() // of the run before
	require.NoError(t, err)
	require.Equal(t, "over", over.Name)
	r.get("POST", "/threads/"+thread+"/runs", doc{"assistant_id": "agent", "input": human("two")})
	var ids, kinds []string
	for {
		frame, err := reader.Next()
		require.NoError(t, err)
		document := objectIn(frameOf(frame).document(t))
		if frame.Name == "over" {
			require.Equal(t, "success", document["status"])
			break
		}
		ids = append(ids, frame.ID)
		require.Equal(t, frame.ID, document["id"])
		kinds = append(kinds, textIn(objectIn(document["event"])["type"]))
	}
	require.Contains(t, kinds, "token", "pieces of the answer come as they are written")
	require.Equal(t, "end", kinds[len(kinds)-1])
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(ids))), len(ids))

	again := r.send(t.Context(), "GET", "/threads/"+thread+"/events?follow=true", nil, "Last-Event-ID", ids[len(ids)-2])
	last, err := sse.NewReader(again.body, 0).Next()
	require.NoError(t, err)
	require.Equal(t, ids[len(ids)-1], last.ID, "it goes on behind the last event that the client has seen")
}

func frameOf(e sse.Event) frame { return frame{e.Name, e.ID, string(e.Data)} }

// A run that is rolled back is over, and its events are gone.
func TestFollowingARunThatIsRolledBack(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.thread()
	run := textIn(r.object("POST", "/threads/"+thread+"/runs", doc{"assistant_id": "agent", "input": human("block")})["run_id"])
	<-r.began
	following := r.send(t.Context(), "GET", "/threads/"+thread+"/events?follow=true", nil)
	reader := sse.NewReader(following.body, 0)
	_, err := reader.Next()
	require.NoError(t, err)
	r.get("POST", "/threads/"+thread+"/runs/"+run+"/cancel?action=rollback&wait=true", nil)
	for {
		frame, err := reader.Next()
		require.NoError(t, err)
		if frame.Name == "over" {
			require.Equal(t, doc{"run_id": run, "status": "removed"}, frameOf(frame).document(t))
			break
		}
	}
	require.Equal(t, []any{}, r.object("GET", "/threads/"+thread+"/events", nil)["events"])
}

// Fields that the agent hides are for those who operate the server.
func TestHiddenFieldsInEvents(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	ann := r.as(annsKey)
	thread := ann.thread()
	ann.stream(thread, doc{"input": human("write x")})
	const hidden = "human_in_the_loop"
	fields := func(who *rig) (out []string) {
		for _, e := range listIn(who.object("GET", "/threads/"+thread+"/events", nil)["events"]) {
			event := objectIn(objectIn(e)["event"])
			for name := range objectIn(event["state"]) {
				out = append(out, name)
			}
			for name := range objectIn(objectIn(event["update"])["state"]) {
				out = append(out, name)
			}
		}
		return out
	}
	question := textIn(objectIn(listIn(ann.object("GET", "/threads/"+thread+"/state", nil)["interrupts"])[0])["id"])
	ann.stream(thread, doc{"command": doc{"resume": doc{question: doc{"decisions": []any{doc{"type": "approve"}}}}}})
	require.NotEmpty(t, fields(ann), "%s keeps what was decided", hidden)
	require.Empty(t, fields(r.as(only("threads"))))
	require.Contains(t, eventTypes(ann.object("GET", "/threads/"+thread+"/events", nil)), "request")
	require.NotContains(t, eventTypes(r.as(only("threads")).object("GET", "/threads/"+thread+"/events", nil)), "request", "it has the system prompt")
}
