package langgraph_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	storememory "github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/internal/doortest"
	"github.com/agenthost/agenthost/server/internal/sse"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// doc is an object in JSON.
type doc = map[string]any

// rig is a server with an agent that answers by rules, and a client.
type rig struct {
	t       testing.TB
	url     string
	key     string
	handler http.Handler
	client  *http.Client
	began   chan struct{} // the tool block was called
	let     chan struct{} // it may end
	store   runs.Store
	stop    func(context.Context) // stops the server
}

// setup starts a server. yaml is its serve.yaml.
func setup(t testing.TB, yaml string, change ...func(c *host.Config)) *rig {
	t.Helper()
	r := &rig{
		t: t, began: make(chan struct{}, 100), let: make(chan struct{}),
		store: runsmemory.New(runsmemory.Options{}),
	}
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", When: "^weather (.*)$", Call: []scripted.RuleCall{{Tool: "get_weather", Args: doc{"city": "$1"}}}},
		scripted.Rule{From: "human", When: "^write (.*)$", Say: "I write it.", Call: []scripted.RuleCall{{Tool: "write_file", Args: doc{"content": "$1"}}}},
		scripted.Rule{From: "human", When: "^block", Call: []scripted.RuleCall{{Tool: "block", Args: doc{}}}},
		scripted.Rule{From: "tool", When: "(?s)(.*)", Say: "The tool said: $1"},
		scripted.Rule{When: "(?s)^(.*)$", Say: "You said: $1"},
	)
	require.NoError(t, err)
	threads := memory.New()
	c := host.Config{
		Name: "agent", Model: rules, Checkpointer: threads,
		Tools: []host.Tool{
			tool.Func("get_weather", "Tells the weather.", func(ctx context.Context, in struct {
				City string `json:"city"`
			},
			) (string, error) {
				host.RuntimeOf(ctx).Emit("progress", must(host.Encode(doc{"progress": "asking about " + in.City})))
				return "sunny in " + in.City, nil
			}),
			tool.Func("write_file", "Writes a file.", func(_ context.Context, in struct {
				Content string `json:"content"`
			},
			) (string, error) {
				return "wrote " + in.Content, nil
			}),
			doortest.Block(r.began, r.let),
		},
		Middleware: []host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{
			"write_file": {AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Reject}},
		}}},
	}
	for _, do := range change {
		do(&c)
	}
	agent, err := host.New(c)
	require.NoError(t, err)
	currency := ""
	if c.Prices != nil {
		currency = c.Prices.Currency
	}
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	s := doortest.Serve(t, yaml, server.Config{
		Agents: map[string]runs.Agent{"agent": {Agent: agent, Threads: threads, Currency: currency}}, Runs: r.store,
		Store: semantic.WithoutIndex(storememory.New()),
	})
	r.url, r.handler, r.client, r.stop = s.URL, s.Handler, s.Client, s.Stop
	return r
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// as returns the client with another key.
func (r *rig) as(key string) *rig {
	other := *r
	other.key = key
	return &other
}

// reply is an answer whose body is still to be read. It is closed when the test ends.
type reply struct {
	status int
	header http.Header
	body   io.ReadCloser
}

// send sends a request. The body may be a text or a value.
func (r *rig) send(ctx context.Context, method, path string, body any, header ...string) *reply {
	r.t.Helper()
	var reader io.Reader = http.NoBody
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		reader = bytes.NewReader(must(json.Marshal(body)))
	}
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, reader)
	require.NoError(r.t, err)
	if r.key != "" {
		request.Header.Set("X-Api-Key", r.key)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := r.client.Do(request)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = response.Body.Close() })
	return &reply{response.StatusCode, response.Header, response.Body}
}

// do sends a request and returns its status and its document.
func (r *rig) do(method, path string, body any) (int, any) {
	r.t.Helper()
	response := r.send(r.t.Context(), method, path, body)
	defer func() { require.NoError(r.t, response.body.Close()) }()
	text, err := io.ReadAll(response.body)
	require.NoError(r.t, err)
	if len(bytes.TrimSpace(text)) == 0 {
		return response.status, nil
	}
	var document any
	require.NoError(r.t, json.Unmarshal(text, &document), "%s %s: %s", method, path, text)
	return response.status, document
}

// get sends a request that must succeed, and returns its document.
func (r *rig) get(method, path string, body any) any {
	r.t.Helper()
	status, document := r.do(method, path, body)
	require.Less(r.t, status, 300, "%s %s: %v", method, path, document)
	return document
}

// object is get for objects.
func (r *rig) object(method, path string, body any) doc {
	r.t.Helper()
	out, ok := r.get(method, path, body).(doc)
	require.True(r.t, ok)
	return out
}

// refused sends a request that must fail, and returns why.
func (r *rig) refused(status int, method, path string, body any) string {
	r.t.Helper()
	got, document := r.do(method, path, body)
	require.Equal(r.t, status, got, "%s %s: %v", method, path, document)
	text, ok := objectIn(document)["detail"].(string)
	require.True(r.t, ok, "%v", document)
	return text
}

func (r *rig) thread() string {
	r.t.Helper()
	return textIn(r.object("POST", "/threads", doc{})["thread_id"])
}

// frame is a frame of a stream.
type frame struct {
	event, id, data string
}

// document returns the data of a frame.
func (f frame) document(t testing.TB) any {
	t.Helper()
	var out any
	require.NoError(t, json.Unmarshal([]byte(f.data), &out))
	return out
}

// frames reads a stream to its end.
func (r *rig) frames(response *reply) (out []frame) {
	r.t.Helper()
	defer func() { _ = response.body.Close() }()
	require.Equal(r.t, http.StatusOK, response.status)
	require.Equal(r.t, "text/event-stream; charset=utf-8", response.header.Get("Content-Type"))
	reader := sse.NewReader(response.body, 0)
	for {
		e, err := reader.Next()
		if err != nil {
			require.ErrorIs(r.t, err, io.EOF)
			return out
		}
		out = append(out, frame{e.Name, e.ID, string(e.Data)})
	}
}

// stream starts a run in a thread and reads its stream.
func (r *rig) stream(thread string, body doc) []frame {
	r.t.Helper()
	body["assistant_id"] = "agent"
	return r.frames(r.send(r.t.Context(), "POST", "/threads/"+thread+"/runs/stream", body))
}

// events returns the names of the events of frames, repeated ones once.
func events(frames []frame) (out []string) {
	for _, f := range frames {
		if len(out) == 0 || out[len(out)-1] != f.event {
			out = append(out, f.event)
		}
	}
	return out
}

// human is an input with a message.
func human(text string) doc {
	return doc{"messages": []any{doc{"type": "human", "content": text}}}
}

// texts returns the contents of the messages of values.
func texts(values any) (out []string) {
	for _, m := range listIn(objectIn(values)["messages"]) {
		message := objectIn(m)
		out = append(out, textIn(message["type"])+": "+textIn(message["content"]))
	}
	return out
}

// eventually is how long a test waits for what happens by real time.
const eventually = time.Second

// textIn, listIn and objectIn return what a document has, or nothing if it has something else.
func textIn(v any) string {
	text, _ := v.(string)
	return text
}

func listIn(v any) []any {
	list, _ := v.([]any)
	return list
}

func objectIn(v any) doc {
	object, _ := v.(doc)
	return object
}
