package langgraph_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// socket is a WebSocket of the protocol.
type socket struct {
	t    testing.TB
	conn *websocket.Conn
}

// dial opens a WebSocket with a thread.
func (r *rig) dial(thread string, header ...string) (*websocket.Conn, *http.Response, error) {
	r.t.Helper()
	headers := http.Header{}
	if r.key != "" {
		headers.Set("X-Api-Key", r.key)
	}
	for i := 0; i < len(header); i += 2 {
		headers.Set(header[i], header[i+1])
	}
	address := strings.Replace(r.url, "http", "ws", 1) + "/threads/" + thread + "/stream/events"
	return websocket.Dial(r.t.Context(), address, &websocket.DialOptions{HTTPHeader: headers})
}

// socket opens a WebSocket that must open.
func (r *rig) socket(thread string) *socket {
	r.t.Helper()
	conn, _, err := r.dial(thread) //nolint:bodyclose // the package closes it
	require.NoError(r.t, err)
	conn.SetReadLimit(-1)
	r.t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{r.t, conn}
}

// say sends a message, and read reads one.
func (s *socket) say(text string) {
	s.t.Helper()
	require.NoError(s.t, s.conn.Write(s.t.Context(), websocket.MessageText, []byte(text)))
}

func (s *socket) read() doc {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	_, text, err := s.conn.Read(ctx)
	require.NoError(s.t, err)
	var out doc
	require.NoError(s.t, json.Unmarshal(text, &out))
	return out
}

// answer sends a command, and returns its answer with the events before it.
func (s *socket) answer(text string) (before []doc, answer doc) {
	s.t.Helper()
	s.say(text)
	for {
		got := s.read()
		if got["type"] != "event" {
			return before, got
		}
		before = append(before, got)
	}
}

// completed reads events up to the one that says that a run is completed.
func (s *socket) completed() (out []doc) {
	s.t.Helper()
	for {
		out = append(out, s.read())
		if objectIn(objectIn(out[len(out)-1]["params"])["data"])["event"] == "completed" {
			return out
		}
	}
}

// closed reads up to the end of the connection, and returns its code.
func (s *socket) closed() websocket.StatusCode {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	for {
		if _, _, err := s.conn.Read(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

const startHello = `{"id":2,"method":"run.start","params":{"assistant_id":"agent","input":{"messages":[{"type":"human","content":"hello"}]}}}`

// Subscriptions share a connection: each event comes once, a new one first gets what is there already, and they outlive runs.
func TestSubscriptions(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	s := r.socket(uuid.NewString()) // run.start makes the thread
	before, answer := s.answer(`{"id":1,"method":"subscription.subscribe","params":{"channels":["lifecycle"]}}`)
	require.Empty(t, before)
	require.Equal(t, doc{"applied_through_seq": 0.0}, answer["meta"])
	first := textIn(objectIn(answer["result"])["subscription_id"])
	_, answer = s.answer(startHello)
	require.NotEmpty(t, objectIn(answer["result"])["run_id"])
	require.Len(t, s.completed(), 2)

	before, answer = s.answer(`{"id":3,"method":"subscription.subscribe","params":{"channels":["values","lifecycle"]}}`)
	require.Len(t, before, 2)
	for _, e := range before {
		require.Equal(t, "values", e["method"], "the others were sent")
	}
	require.EqualValues(t, 2, objectIn(answer["result"])["replayed_events"])
	_, answer = s.answer(startHello)
	require.Equal(t, "success", answer["type"])
	found := s.completed()
	ids := map[any]bool{}
	for _, e := range found {
		require.False(t, ids[e["event_id"]])
		ids[e["event_id"]] = true
	}
	require.Len(t, found, 4, "two of the lifecycle, two states")
	last, err := json.Marshal(found[len(found)-1]["seq"])
	require.NoError(t, err)

	_, answer = s.answer(`{"id":4,"method":"subscription.unsubscribe","params":{"subscription_id":"` + first + `"}}`)
	require.Equal(t, "success", answer["type"])
	_, answer = s.answer(`{"id":5,"method":"subscription.unsubscribe","params":{"subscription_id":"` + first + `"}}`)
	require.Equal(t, "no_such_subscription", answer["error"])
	before, _ = s.answer(`{"id":6,"method":"subscription.subscribe","params":{"channels":["messages"],"since":` + string(last) + `}}`)
	require.Empty(t, before)
	before, _ = s.answer(`{"id":7,"method":"subscription.subscribe","params":{"channels":["tasks"],"since":0}}`)
	require.NotEmpty(t, before, "since the first run")
	_, answer = s.answer(`{"id":8,"method":"subscription.reconnect","params":{}}`)
	require.Equal(t, "not_supported", answer["error"])
	require.NoError(t, s.conn.Close(websocket.StatusNormalClosure, ""))
}

// What a client sends that is not a command is answered, and the connection stays.
func TestBadMessages(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {body: 64KiB, requests_per_second: 1000, burst: 1000}")
	s := r.socket(uuid.NewString())
	for text, says := range map[string]string{
		"nonsense": "valid JSON", "[]": "integer id", `{"channels":["values"]}`: "integer id", strings.Repeat("[", 30_000): "within each other",
		"{\"id\":1,\"method\":\"subscription.subscribe\",\"params\":{}}":         "channels is required",
		`{"id":1,"method":"subscription.subscribe","params":{"channels":["x"]}}`: "unsupported entries",
		`{"id":1,"method":"state.get"}`:                                          "not found",
		`{"id":1,"method":"x"}`:                                                  "Unknown protocol command",
	} {
		_, answer := s.answer(text)
		require.Equal(t, "error", answer["type"])
		require.Contains(t, answer["message"], says, "%.60s", text)
	}
	require.NoError(t, s.conn.Write(t.Context(), websocket.MessageBinary, []byte{0, 1}))
	require.Contains(t, s.read()["message"], "type text")
	for range 100 {
		_, answer := s.answer(`{"id":1,"method":"subscription.subscribe","params":{"channels":["values"]}}`)
		require.Equal(t, "success", answer["type"])
	}
	_, answer := s.answer(`{"id":1,"method":"subscription.subscribe","params":{"channels":["values"]}}`)
	require.Contains(t, answer["message"], "100 subscriptions")
	s.say(`{"id":1,"method":"` + strings.Repeat("x", 1<<17) + `"}`)
	require.Equal(t, websocket.StatusMessageTooBig, s.closed())
}

// A connection that cannot be made is refused after the handshake, since a page cannot read the status of one that fails.
func TestRefusedSockets(t *testing.T) {
	t.Parallel()
	r := setup(t, keys()+"\nlimits: {streams_per_owner: 1, requests_per_second: 0.001, burst: 6}")
	ann := r.as(annsKey)
	thread := uuid.NewString()
	require.Equal(t, websocket.StatusCode(4422), ann.socket("x").closed())
	s := ann.socket(thread)
	require.Equal(t, websocket.StatusCode(4429), ann.socket(thread).closed())
	_, response, err := ann.dial(thread, "Origin", "https://evil.example", "X-Api-Key", "") //nolint:bodyclose // the package closes it
	require.Error(t, err)
	require.Equal(t, http.StatusForbidden, response.StatusCode)
	_, response, err = r.dial(thread) //nolint:bodyclose // the package closes it
	require.Error(t, err)
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)

	// Each message counts as a request.
	for range 3 {
		_, answer := s.answer(`{"id":1,"method":"x"}`)
		require.Equal(t, "unknown_command", answer["error"])
	}
	_, answer := s.answer(`{"id":1,"method":"x"}`)
	require.Contains(t, answer["message"], "too many requests")
	require.NoError(t, s.conn.Close(websocket.StatusNormalClosure, ""))
}

// A client that does not read loses its connection, and with it the memory that waits for it.
func TestASocketThatIsNotRead(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {streams_per_owner: 1}")
	thread := uuid.NewString()
	s := r.socket(thread)
	_, answer := s.answer(`{"id":1,"method":"subscription.subscribe","params":{"channels":["values","updates","messages"]}}`)
	require.Equal(t, "success", answer["type"])
	for range 3 { // more than the buffers of a connection hold
		run := r.start(thread, strings.Repeat("x", 3<<20))
		r.get("GET", "/threads/"+thread+"/runs/"+run, nil)
	}
	require.Eventually(t, func() bool {
		response := r.send(t.Context(), "POST", "/threads/"+thread+"/stream/events", doc{"channels": []string{"lifecycle"}})
		require.NoError(t, response.body.Close())
		return response.status == http.StatusOK
	}, time.Minute, 100*time.Millisecond, "its place is free again")
}

// A stranger's subscription to somebody else's thread gets nothing.
func TestStrangersSocket(t *testing.T) {
	t.Parallel()
	r := setup(t, keys())
	thread := uuid.NewString()
	ann, bob := r.as(annsKey).socket(thread), r.as(bobsKey).socket(thread)
	before, _ := bob.answer(`{"id":1,"method":"subscription.subscribe","params":{"channels":["values","lifecycle"]}}`)
	require.Empty(t, before)
	_, answer := ann.answer(startHello)
	require.Equal(t, "success", answer["type"])
	ann.say(`{"id":3,"method":"subscription.subscribe","params":{"channels":["lifecycle"]}}`)
	ann.completed()
	_, answer = bob.answer(`{"id":2,"method":"state.get"}`)
	require.Contains(t, answer["message"], "not found")
	_, answer = bob.answer(startHello)
	require.Equal(t, "success", answer["type"])
	for _, e := range bob.completed() {
		if e["method"] == "values" {
			require.NotEmpty(t, listIn(objectIn(objectIn(e["params"])["data"])["messages"]))
			require.LessOrEqual(t, len(listIn(objectIn(objectIn(e["params"])["data"])["messages"])), 2)
		}
	}
	require.NoError(t, ann.conn.Close(websocket.StatusNormalClosure, ""))
	require.NoError(t, bob.conn.Close(websocket.StatusNormalClosure, ""))
}

// A server that stops says so, and waits for its connections.
func TestTheServerStopsWithASocket(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	s := r.socket(uuid.NewString())
	_, answer := s.answer(`{"id":1,"method":"subscription.subscribe","params":{"channels":["values"]}}`)
	require.Equal(t, "success", answer["type"])
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		r.stop(ctx)
	}()
	require.Equal(t, websocket.StatusGoingAway, s.closed())
	<-done
}
