package langgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/internal/sse"
)

// everyChannel are the channels of the newer protocol.
func everyChannel() []string {
	return []string{"values", "updates", "messages", "tools", "lifecycle", "input", "checkpoints", "tasks", "custom"}
}

// command sends a command that must be answered, and returns the answer.
func (r *rig) command(thread, method string, params any) doc {
	r.t.Helper()
	return r.object("POST", "/threads/"+thread+"/commands", doc{"id": 1, "method": method, "params": params})
}

// result sends a command that must succeed, and returns its result.
func (r *rig) result(thread, method string, params any) doc {
	r.t.Helper()
	answer := r.command(thread, method, params)
	require.Equal(r.t, "success", answer["type"], "%v", answer)
	return objectIn(answer["result"])
}

// start starts a run of the agent.
func (r *rig) start(thread, said string) (run string) {
	r.t.Helper()
	return textIn(r.result(thread, "run.start", doc{"assistant_id": "agent", "input": human(said)})["run_id"])
}

// eventStream is a stream of events that has no end.
type eventStream struct {
	t      testing.TB
	reader *sse.Reader
	leave  func()
}

// follow subscribes to the events of a thread.
func (r *rig) follow(thread string, body doc) *eventStream {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	r.t.Cleanup(cancel)
	response := r.send(ctx, "POST", "/threads/"+thread+"/stream/events", body)
	require.Equal(r.t, http.StatusOK, response.status)
	require.Equal(r.t, "text/event-stream; charset=utf-8", response.header.Get("Content-Type"))
	return &eventStream{r.t, sse.NewReader(response.body, 0), func() {
		cancel()
		_ = response.body.Close()
	}}
}

// event is an event of the protocol.
type event struct {
	ID     string `json:"event_id"`
	Seq    uint64 `json:"seq"`
	Method string `json:"method"`
	Params struct {
		Namespace []string `json:"namespace"`
		Data      doc      `json:"data"`
	} `json:"params"`
}

func (s *eventStream) next() event {
	s.t.Helper()
	e, err := s.reader.Next()
	require.NoError(s.t, err)
	var out event
	require.NoError(s.t, json.Unmarshal(e.Data, &out), "%s", e.Data)
	require.Equal(s.t, e.ID, strconv.FormatUint(out.Seq, 10))
	require.Equal(s.t, e.Name, out.Method)
	return out
}

// until reads up to the end of so many runs.
func (s *eventStream) until(ends int) (out []event) {
	s.t.Helper()
	for ends > 0 {
		out = append(out, s.next())
		if isEnd(&out[len(out)-1]) {
			ends--
		}
	}
	return out
}

func isEnd(e *event) bool {
	return e.Method == "lifecycle" && len(e.Params.Namespace) == 0 && e.Params.Data["event"] != "running"
}

// A stream begins with the last run and goes on with those that follow. A client that comes back behind any event gets exactly those that it has not
// seen, whatever it subscribes to.
func TestTheEventsOfAThread(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {requests_per_second: 100000, burst: 100000}")
	thread := uuid.NewString() // run.start makes it
	r.start(thread, "weather Rome")
	stream := r.follow(thread, doc{"channels": everyChannel()})
	seen := stream.until(1)
	r.start(thread, "hello")
	seen = append(seen, stream.until(1)...)
	ids := map[string]bool{}
	for i := range seen {
		require.False(t, ids[seen[i].ID])
		ids[seen[i].ID] = true
		require.True(t, i == 0 || seen[i].Seq > seen[i-1].Seq)
	}
	stream.leave()

	late := r.follow(thread, doc{"channels": []string{"lifecycle", "values"}}) // it begins with the last run, whose state has what came before
	found := late.until(1)
	require.Equal(t, "running", found[0].Params.Data["event"])
	require.Len(t, listIn(found[1].Params.Data["messages"]), 5)
	late.leave()

	for i := range seen {
		for _, channels := range [][]string{everyChannel(), {"values", "lifecycle"}} {
			var want []event
			for _, e := range seen[i+1:] {
				if len(channels) > 2 || e.Method == "values" || e.Method == "lifecycle" {
					want = append(want, e)
				}
			}
			if len(want) == 0 {
				continue
			}
			again := r.follow(thread, doc{"channels": channels, "since": seen[i].Seq})
			for _, e := range want {
				require.Equal(t, e, again.next(), "behind %s", seen[i].ID)
			}
			again.leave()
		}
	}
}

// Who follows a thread before its first run sees that run from its beginning.
func TestFollowingBeforeThereIsAThread(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := uuid.NewString()
	stream := r.follow(thread, doc{"channels": []string{"lifecycle"}})
	r.start(thread, "hello")
	found := stream.until(1)
	require.Equal(t, "running", found[0].Params.Data["event"])
	require.Equal(t, "completed", found[1].Params.Data["event"])
}

func TestQuestionsOfTheProtocol(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := uuid.NewString()
	r.start(thread, "write tea")
	stream := r.follow(thread, doc{"channels": []string{"input", "lifecycle"}})
	asked := stream.until(1)
	require.Equal(t, "input.requested", asked[1].Method)
	id := textIn(asked[1].Params.Data["interrupt_id"])
	require.Equal(t, "interrupted", objectIn(r.result(thread, "agent.getTree", nil)["tree"])["status"])
	answer := doc{"decisions": []any{doc{"type": "approve"}}}
	for code, params := range map[string]doc{
		"no_such_interrupt": {"interrupt_id": "ask-1-1", "response": answer},
		"invalid_argument":  {"responses": []any{}},
	} {
		require.Equal(t, code, r.command(thread, "input.respond", params)["error"])
	}
	for says, params := range map[string]doc{
		"requires an interrupt_id": {},
		"which is not an answer":   {"interrupt_id": id},
		"twice":                    {"responses": []any{doc{"interrupt_id": id, "response": answer}, doc{"interrupt_id": id, "response": answer}}},
	} {
		require.Contains(t, r.command(thread, "input.respond", params)["message"], says)
	}
	r.result(thread, "input.respond", doc{"responses": []any{doc{"namespace": []string{}, "interrupt_id": id, "response": answer}}, "metadata": doc{"by": "ann"}})
	answered := stream.until(1)
	require.Equal(t, []any{id}, answered[1].Params.Data["interrupt_ids"])
	require.Equal(t, "completed", answered[2].Params.Data["event"])
	require.Equal(t, "no_such_interrupt", r.command(thread, "input.respond", doc{"interrupt_id": id, "response": answer})["error"])
}

func TestTheStateOfTheProtocol(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := uuid.NewString()
	run := r.start(thread, "hello")
	r.get("GET", "/threads/"+thread+"/runs/"+run+"/join", nil)
	state := r.result(thread, "state.get", doc{"namespace": []string{}, "keys": []string{"messages"}})
	require.Len(t, objectIn(state["values"]), 1)
	require.Equal(t, []any{doc{"type": "text", "text": "You said: hello"}}, objectIn(listIn(objectIn(state["values"])["messages"])[1])["content"])
	require.Empty(t, r.result(thread, "state.get", doc{"keys": []string{}})["values"])
	require.Equal(t, "no_such_namespace", r.command(thread, "state.get", doc{"namespace": []string{"x"}})["error"])

	all := listIn(r.result(thread, "state.listCheckpoints", nil)["checkpoints"])
	require.Equal(t, textIn(objectIn(state["checkpoint"])["id"]), textIn(objectIn(all[0])["id"]))
	first := textIn(objectIn(all[len(all)-1])["id"])
	require.Equal(t, "00000000000000000001", first)
	require.Len(t, listIn(r.result(thread, "state.listCheckpoints", doc{"limit": 1, "before": objectIn(all[0])["id"]})["checkpoints"]), 1)

	forked := r.result(thread, "state.fork", doc{"checkpoint_id": "0", "input": human("again")})
	require.Equal(t, thread, forked["thread_id"])
	r.get("GET", "/threads/"+thread+"/runs/"+textIn(forked["run_id"])+"/join", nil)
	require.Equal(t, []string{"human: again", "ai: You said: again"}, texts(r.object("GET", "/threads/"+thread+"/state", nil)["values"]))
	require.Equal(t, "no_such_checkpoint", r.command(thread, "state.fork", doc{"checkpoint_id": "99"})["error"])
	require.Equal(t, "no_such_checkpoint", r.command(thread, "state.fork", doc{"checkpoint_id": "x"})["error"])
	require.Equal(t, "invalid_argument", r.command(thread, "state.fork", doc{})["error"])

	// The clients name the checkpoint of a fork, and the thread, in configurable.
	run = textIn(r.result(thread, "run.start", doc{
		"assistant_id": "agent", "input": human("third"), "config": doc{"configurable": doc{"checkpoint_id": first, "thread_id": thread}}, "multitaskStrategy": "enqueue",
	})["run_id"])
	r.get("GET", "/threads/"+thread+"/runs/"+run+"/join", nil)
	require.Equal(t, []string{"human: hello", "human: third", "ai: You said: third"}, texts(r.object("GET", "/threads/"+thread+"/state", nil)["values"]))
	require.Equal(t, "completed", objectIn(r.result(thread, "agent.getTree", doc{"run_id": run})["tree"])["status"])
	require.Equal(t, "no_such_run", r.command(thread, "agent.getTree", doc{"run_id": uuid.NewString()})["error"])
	require.Equal(t, "no_such_run", r.command(r.thread(), "agent.getTree", doc{})["error"])
}

// A cancelled run ends with the event interrupted, also one that never began, and one that takes too long with failed.
func TestEndsOfRuns(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {run_timeout: 1s}")
	thread := uuid.NewString()
	first := r.start(thread, "block")
	<-r.began
	second := r.start(thread, "never")
	require.Equal(t, "running", objectIn(r.result(thread, "agent.getTree", doc{"run_id": first})["tree"])["status"])
	require.Equal(t, "started", objectIn(r.result(thread, "agent.getTree", doc{})["tree"])["status"])
	stream := r.follow(thread, doc{"channels": []string{"lifecycle"}})
	r.get("POST", "/threads/"+thread+"/runs/"+second+"/cancel", nil)
	ended := stream.until(2)
	require.Equal(t, "failed", ended[1].Params.Data["event"])
	require.NotEmpty(t, ended[1].Params.Data["error"])
	require.Equal(t, "interrupted", ended[2].Params.Data["event"])
}

func TestBadCommands(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {body: 64KiB}")
	thread := r.thread()
	at := "/threads/" + thread
	for _, test := range []struct {
		status int
		path   string
		body   string
		says   string
	}{
		{400, "/commands", ``, "valid JSON"},
		{400, "/commands", `{`, "valid JSON"},
		{400, "/commands", `[]`, "integer id"},
		{400, "/commands", `{"id":"1","method":"run.start"}`, "integer id"},
		{400, "/commands", `{"id":1,"method":"run.start","params":[]}`, "must be an object"},
		{400, "/commands", "{\"id\":1,\"method\":\"\xff\"}", "UTF-8"},
		{400, "/commands", strings.Repeat(`{"id":`, 10_000), "within each other"},
		{413, "/commands", `{"id":1,"method":"` + strings.Repeat("x", 1<<17) + `"}`, "65536 bytes"},
		{400, "/stream/events", `{}`, "channels is required"},
		{400, "/stream/events", `{"channels":["nope"]}`, `unsupported entries: "nope"`},
		{400, "/stream/events", `{"channels":["values"],"depth":-1}`, "depth is -1"},
		{422, "/stream/events", `{"channels":"values"}`, `not of type "array"`},
		{422, "/stream/events", `{"channels":["values"],"since":-1}`, "since"},
		{422, "/stream/events", `{"channels":["values"],"namespaces":["x"]}`, "namespaces"},
	} {
		require.Contains(t, r.refused(test.status, "POST", at+test.path, test.body), test.says, "%s %.60s", test.path, test.body)
	}
	require.Contains(t, r.refused(422, "POST", "/threads/x/commands", `{"id":1,"method":"run.start"}`), "must be a UUID")
	require.Contains(t, r.refused(426, "GET", at+"/stream/events", nil), "WebSocket")
	for _, test := range []struct {
		method string
		params any
		code   string
		says   string
	}{
		{"nonsense", nil, "unknown_command", "Unknown protocol command: nonsense"},
		{strings.Repeat("x", 1000), nil, "unknown_command", "…"},
		{"run.start", nil, "invalid_argument", "assistant_id"},
		{"run.start", doc{"assistant_id": 5}, "invalid_argument", "assistant_id"},
		{"run.start", doc{"assistant_id": "nobody"}, "invalid_argument", "registered graphs: agent"},
		{"run.start", doc{"assistant_id": uuid.NewString()}, "invalid_argument", "not found"},
		{"run.start", doc{"assistant_id": "agent", "input": "hi"}, "invalid_argument", "an input must be an object"},
		{"run.start", doc{"assistant_id": "agent", "config": doc{"configurable": doc{"checkpoint_id": 1}}}, "invalid_argument", "checkpoint_id"},
		{"run.start", doc{"assistant_id": "agent", "multitask_strategy": "bogus"}, "invalid_argument", "'bogus' is not one of"},
		{"input.inject", doc{}, "not_supported", "start a run"},
		{"subscription.subscribe", doc{"channels": []string{"values"}}, "not_supported", "WebSocket"},
		{"state.fork", doc{"checkpoint_id": 1}, "invalid_argument", "checkpoint_id"},
	} {
		answer := r.command(thread, test.method, test.params)
		require.Equal(t, test.code, answer["error"], "%.40s %v", test.method, answer)
		require.Contains(t, answer["message"], test.says)
	}
}

// A busy thread refuses what asks for that, and too many runs are refused as any request would be.
func TestLimitsOfTheProtocol(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {runs_per_owner: 2, streams_per_owner: 1}")
	thread := uuid.NewString()
	r.start(thread, "block")
	<-r.began
	body := doc{"assistant_id": "agent", "input": human("x"), "multitask_strategy": "reject"}
	require.Contains(t, r.command(thread, "run.start", body)["message"], "already running")
	r.start(thread, "waits")
	require.Contains(t, r.refused(429, "POST", "/threads/"+thread+"/commands", doc{"id": 1, "method": "run.start", "params": doc{"assistant_id": "agent"}}), "too many runs")
	stream := r.follow(thread, doc{"channels": []string{"values"}})
	stream.next()
	require.Contains(t, r.refused(429, "POST", "/threads/"+thread+"/stream/events", doc{"channels": []string{"values"}}), "1 streams")
	close(r.let)
}

// What belongs to somebody else does not exist: its events are a 404, and run.start with its id makes a thread of one's own.
func TestStrangersOfTheProtocol(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	ann, bob := r.as(annsKey), r.as(bobsKey)
	thread := uuid.NewString()
	ann.start(thread, marked)
	ann.follow(thread, doc{"channels": []string{"lifecycle"}}).until(1)
	at := "/threads/" + thread
	bob.refused(404, "POST", at+"/stream/events", doc{"channels": []string{"values"}})
	for _, method := range []string{"state.get", "state.listCheckpoints", "agent.getTree"} {
		bob.refused(404, "POST", at+"/commands", doc{"id": 1, "method": method})
	}
	bob.refused(404, "POST", at+"/commands", doc{"id": 1, "method": "state.fork", "params": doc{"checkpoint_id": "0"}})
	bob.start(thread, "mine")
	found := bob.follow(thread, doc{"channels": []string{"values", "lifecycle"}}).until(1)
	require.NotContains(t, string(must(json.Marshal(found))), marked)
	require.Contains(t, r.as(only("runs")).refused(403, "POST", at+"/commands", doc{"id": 1, "method": "state.get"}), "Forbidden")
}

// A stream ends when the server stops, so that its client comes back to another one.
func TestTheServerStopsWhileAClientFollows(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	thread := uuid.NewString()
	r.start(thread, "hello")
	stream := r.follow(thread, doc{"channels": []string{"lifecycle"}})
	stream.until(1)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r.stop(ctx)
	_, err := stream.reader.Next()
	require.True(t, errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
}
