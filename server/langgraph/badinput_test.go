package langgraph_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBadInput(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {body: 64KiB}")
	thread := r.thread()
	runs := "/threads/" + thread + "/runs"
	unknown := "/threads/6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a4"
	for _, test := range []struct {
		status             int
		method, path, body string
		says               string
	}{
		{404, "GET", "/nothing", "", "Not Found"},
		{405, "DELETE", "/threads", "", "Method Not Allowed"},
		{404, "GET", unknown + "/state", "", "Thread with ID 6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a4 not found"},
		{404, "POST", unknown + "/runs", `{"assistant_id":"agent"}`, "Thread or assistant not found."},
		{422, "POST", runs, ``, "the request has no body"},
		{422, "POST", runs, `{`, "Invalid JSON"},
		{422, "POST", runs, `[]`, `is not of type "object"`},
		{422, "POST", runs, `{"input":{}}`, `"assistant_id" is a required property`},
		{422, "POST", runs, `{"assistant_id":"nobody"}`, "Invalid assistant: 'nobody'. Must be either:\n- A valid assistant UUID, or\n- One of"},
		{404, "POST", runs, `{"assistant_id":"6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a4"}`, "Thread or assistant not found."},
		{422, "POST", runs, `{"assistant_id":"agent","stream_mode":null}`, "null"},
		{422, "POST", runs, `{"assistant_id":"agent","context":null}`, "null"},
		{422, "POST", runs, `{"assistant_id":"agent","stream_mode":["value"]}`, "'value' is not one of"},
		{422, "POST", runs, `{"assistant_id":"agent","input":"hi"}`, "an input must be an object"},
		{422, "POST", runs, `{"assistant_id":"agent","input":{"messages":[{"content":"hi"}]}}`, "the member type of a message"},
		{422, "POST", runs, `{"assistant_id":"agent","input":{"messages":[{"type":"human"}]}}`, "the member content of a message"},
		{422, "POST", runs, `{"assistant_id":"agent","input":{"messages":[{"type":"tool","content":"x"}]}}`, "tool_call_id"},
		{422, "POST", runs, `{"assistant_id":"agent","multitask_strategy":"wait"}`, "'wait' is not one of ['reject', 'interrupt', 'rollback', 'enqueue']"},
		{422, "POST", runs, `{"assistant_id":"agent","on_disconnect":"stay"}`, "'stay' is not one of"},
		{422, "POST", runs, `{"assistant_id":"agent","after_seconds":-1}`, "after_seconds is -1"},
		{422, "POST", runs, `{"assistant_id":"agent","webhook":"http://127.0.0.1:80/x"}`, "webhook"},
		{422, "POST", runs, `{"assistant_id":"agent","webhook":"file:///etc/passwd"}`, "webhook"},
		{422, "POST", runs, `{"assistant_id":"agent","checkpoint_id":"1f0c"}`, `there is no checkpoint "1f0c"`},
		{422, "POST", runs, `{"assistant_id":"agent","config":{"recursion_limit":0}}`, "recursion_limit is 0"},
		{422, "POST", runs, `{"assistant_id":"agent","config":[]}`, "config"},
		{400, "POST", runs, `{"assistant_id":"agent","config":{"configurable":{"a":1}},"context":{"b":1}}`, "Cannot specify both configurable and context"},
		{422, "POST", runs, `{"assistant_id":"agent","command":{"goto":["a","b"]}}`, "one step after the other"},
		{422, "POST", runs, `{"assistant_id":"agent","command":{"goto":"nowhere"}}`, `"nowhere"`},
		{422, "POST", runs, `{"assistant_id":"agent","interrupt_after":3}`, "neither a name nor a list of names"},
		{422, "POST", runs, strings.Repeat(`{"a":`, 10_000), "Invalid JSON"},
		{413, "POST", runs, `{"assistant_id":"agent","input":"` + strings.Repeat("x", 1<<17) + `"}`, "65536 bytes"},
		{422, "POST", "/threads", `{"metadata":{"a":` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `}}`, "levels"},
		{422, "POST", "/threads", `{"ttl":{"ttl":-1}}`, "-1"},
		{422, "POST", "/threads", `{"if_exists":"maybe"}`, "'raise', 'do_nothing'"},
		{422, "POST", "/threads/search", `{"sort_by":"color"}`, "sort_by"},
		{422, "POST", "/threads/search", `{"status":"tired"}`, "tired"},
		{422, "POST", "/threads/search", `{"limit":100000}`, "maximum of 1000"},
		{422, "GET", runs + "?limit=x", "", "limit must be a number"},
		{422, "GET", runs + "?status=tired", "", "tired"},
		{422, "GET", runs + "/x", "", "Invalid run ID: must be a UUID"},
		{404, "GET", runs + "/6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a4", "", "Not Found"},
		{404, "POST", runs + "/6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a4/cancel", "", "No runs found to cancel."},
		{422, "POST", runs + "/6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a4/cancel?action=kill", "", "'interrupt', 'rollback'"},
		{422, "POST", "/runs/cancel", `{}`, "name the runs"},
		{422, "GET", "/threads/..%2f..%2fetc/state", "", "must be a UUID"},
	} {
		require.Contains(t, r.refused(test.status, test.method, test.path, test.body), test.says, "%s %s %.100s", test.method, test.path, test.body)
	}
	require.Equal(t, "idle", r.object("GET", "/threads/"+thread, nil)["status"], "nothing has begun")
	response := r.send(t.Context(), "DELETE", "/threads", nil)
	require.NoError(t, response.body.Close())
	require.Equal(t, "POST", response.header.Get("Allow"))
	foreign := r.send(t.Context(), "POST", "/threads", "{}", "Origin", "https://evil.example")
	require.NoError(t, foreign.body.Close())
	require.Equal(t, http.StatusForbidden, foreign.status)
}

// Two members with one name must not mean two things.
func TestRepeatedMembers(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := r.object("POST", "/threads", `{"metadata":{"a":1},"metadata":{"b":2}}`)
	require.Equal(t, doc{"b": 2.0}, thread["metadata"])
}

// The log does not call it a failure of the server when a client leaves.
func TestAClientThatLeaves(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	ctx, leave := context.WithCancel(t.Context())
	leave()
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/threads", strings.NewReader("{}")))
	require.Equal(t, 499, w.Code)
}

func TestLimitsOfAnOwner(t *testing.T) {
	t.Parallel()
	all := setup(t, keys()+"limits: {runs_per_owner: 1, streams_per_owner: 1}")
	r, bob := all.as(annsKey), all.as(bobsKey)
	thread := r.thread()
	runs := "/threads/" + thread + "/runs"
	question := doc{"assistant_id": "agent", "input": human("x")}
	streaming := r.send(t.Context(), "POST", runs+"/stream", doc{"assistant_id": "agent", "input": human("block")})
	<-r.began
	require.Contains(t, r.refused(429, "POST", runs, question), "too many runs")
	run := strings.TrimPrefix(streaming.header.Get("Content-Location"), "/threads/"+thread)
	for _, path := range []string{
		"POST " + runs + "/stream", "POST " + runs + "/wait", "POST /runs/stream", "POST /runs/wait", "GET /threads/" + thread + run + "/join",
		"GET /threads/" + thread + run + "/stream", "GET " + run + "/join", "GET " + run + "/stream", "GET /threads/" + thread + "/stream",
	} {
		method, path, _ := strings.Cut(path, " ")
		require.Contains(t, r.refused(429, method, path, question), "you have 1 streams at once", path)
	}
	require.Equal(t, "1", r.send(t.Context(), "POST", runs+"/wait", question).header.Get("Retry-After"))
	require.NotEmpty(t, bob.get("POST", "/threads/"+bob.thread()+"/runs/wait", question), "another owner has streams of his own")
	close(r.let)
	require.NotEmpty(t, r.frames(streaming))
	require.NotEmpty(t, r.get("POST", runs+"/wait", question))
}
