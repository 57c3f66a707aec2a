package agui_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
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
	service *runs.Service
	client  *http.Client
	began   chan struct{}         // the tool block was called
	let     chan struct{}         // it may end
	stop    func(context.Context) // stops the server
}

// setup starts a server. yaml is its serve.yaml.
func setup(t testing.TB, yaml string) *rig {
	t.Helper()
	r := &rig{
		t: t, began: make(chan struct{}, 100), let: make(chan struct{}),
	}
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", When: "^weather (.*)$", Say: "I look.", Call: []scripted.RuleCall{{Tool: "get_weather", Args: doc{"city": "$1"}}}},
		scripted.Rule{From: "human", When: "^write (.*)$", Say: "I write it.", Call: []scripted.RuleCall{{Tool: "write_file", Args: doc{"content": "$1"}}}},
		scripted.Rule{From: "human", When: "^locate and write (.*)$", Call: []scripted.RuleCall{
			{Tool: "locate", Args: doc{"city": "$1"}}, {Tool: "write_file", Args: doc{"content": "$1"}},
		}},
		scripted.Rule{From: "human", When: "^locate and weather (.*)$", Call: []scripted.RuleCall{
			{Tool: "locate", Args: doc{"city": "$1"}}, {Tool: "get_weather", Args: doc{"city": "$1"}},
		}},
		scripted.Rule{From: "human", When: "^locate (.*)$", Call: []scripted.RuleCall{{Tool: "locate", Args: doc{"city": "$1"}}}},
		scripted.Rule{From: "human", When: "^ask (.*)$", Call: []scripted.RuleCall{{Tool: "ask", Args: doc{"question": "$1"}}}},
		scripted.Rule{From: "human", When: "^delegate (.*)$", Call: []scripted.RuleCall{{Tool: "helper", Args: doc{"prompt": "$1"}}}},
		scripted.Rule{From: "human", When: "^count$", Call: []scripted.RuleCall{{Tool: "count", Args: doc{}}}},
		scripted.Rule{From: "human", When: "^fail$", Call: []scripted.RuleCall{{Tool: "fail", Args: doc{}}}},
		scripted.Rule{From: "human", When: "^block", Call: []scripted.RuleCall{{Tool: "block", Args: doc{}}}},
		scripted.Rule{From: "tool", When: "(?s)(.*)", Say: "The tool said: $1"},
		scripted.Rule{When: "(?s)^(.*)$", Say: "You said: $1"},
	)
	require.NoError(t, err)
	threads := memory.New()
	weather := tool.Func("get_weather", "Tells the weather.", func(ctx context.Context, in struct {
		City string `json:"city"`
	},
	) (string, error) {
		host.RuntimeOf(ctx).Emit("progress", must(host.Encode(doc{"progress": "asking about " + in.City})))
		host.RuntimeOf(ctx).Emit("on_interrupt", must(host.Encode("not a question")))
		return "sunny in " + in.City, nil
	})
	helper, err := host.New(host.Config{Name: "helper", Model: rules, Tools: []host.Tool{weather}, Checkpointer: threads})
	require.NoError(t, err)
	c := host.Config{
		Name: "agent", Model: rules, Checkpointer: threads,
		State: []host.Field{
			{Name: "count", Reducer: host.Add()}, {Name: "notes", Reducer: host.Append()}, {Name: "secret", HideOutput: true, HideInput: true},
		},
		Tools: []host.Tool{
			weather,
			tool.Func("write_file", "Writes a file.", func(_ context.Context, in struct {
				Content string `json:"content"`
			},
			) (string, error) {
				return "wrote " + in.Content, nil
			}),
			tool.Func("ask", "Asks.", func(ctx context.Context, in struct {
				Question string `json:"question"`
			},
			) (string, error) {
				answer, err := host.RuntimeOf(ctx).Interrupt("q", must(host.Encode(doc{"question": in.Question})))
				return answer.JSON(), err
			}),
			tool.Raw(countSpec, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				out := host.TextOutput("counted")
				out.Update = &host.Update{}
				out.Update.State.Set("count", must(host.Encode(1)))
				out.Update.State.Set("notes", must(host.Encode([]string{"a/b"})))
				out.Update.State.Set("secret", must(host.Encode("s")))
				return out, nil
			}),
			tool.Func("fail", "Fails.", func(context.Context, struct{}) (string, error) { return "", errBroken }),
			doortest.Block(r.began, r.let),
			must(tool.Agent("helper", "Helps.", helper)),
		},
		Middleware: []host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{
			"write_file": {AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Edit, builtin.Reject}},
		}}},
	}
	agent, err := host.New(c)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, agent.Close())
		require.NoError(t, helper.Close())
	})
	s := doortest.Serve(t, yaml, server.Config{
		Agents: map[string]runs.Agent{"agent": {Agent: agent, Threads: threads}},
	})
	r.url, r.service, r.client, r.stop = s.URL, s.Service, s.Client, s.Stop
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

// send sends the input of a run, a text or an object.
func (r *rig) send(ctx context.Context, agent string, body any) *reply {
	r.t.Helper()
	text, ok := body.(string)
	if !ok {
		text = string(must(json.Marshal(body)))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/agui/"+agent, strings.NewReader(text))
	require.NoError(r.t, err)
	if r.key != "" {
		request.Header.Set("X-Api-Key", r.key)
	}
	response, err := r.client.Do(request)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = response.Body.Close() })
	return &reply{response.StatusCode, response.Header, response.Body}
}

// refused sends an input that must be refused, and returns why.
func (r *rig) refused(body any) string {
	r.t.Helper()
	response := r.send(r.t.Context(), "agent", body)
	text, err := io.ReadAll(response.body)
	require.NoError(r.t, err)
	require.Equal(r.t, http.StatusUnprocessableEntity, response.status, "%s", text)
	var document struct {
		Detail string `json:"detail"`
	}
	require.NoError(r.t, json.Unmarshal(text, &document), "%s", text)
	return document.Detail
}

// reader reads the events of a stream one by one.
type reader struct {
	t      testing.TB
	events *sse.Reader
	body   io.Closer
}

func (r *rig) open(body doc) *reader {
	r.t.Helper()
	response := r.send(r.t.Context(), "agent", body)
	if response.status != http.StatusOK {
		text, _ := io.ReadAll(response.body)
		require.Equal(r.t, http.StatusOK, response.status, "%s", text)
	}
	return &reader{r.t, sse.NewReader(response.body, 0), response.body}
}

// next returns the next event; nil at the end.
func (r *reader) next() doc {
	r.t.Helper()
	e, err := r.events.Next()
	if err != nil {
		require.ErrorIs(r.t, err, io.EOF)
		return nil
	}
	require.NotContains(r.t, string(bytes.TrimSpace(e.Data)), "\n")
	var out doc
	require.NoError(r.t, json.Unmarshal(e.Data, &out))
	require.NotContains(r.t, string(e.Data), ":null", "the protocol knows no null")
	return out
}

// conversation is what a client of AG-UI holds: the messages and the state.
type conversation struct {
	*rig

	thread   string
	messages []any
	state    any
	tools    []any
	more     doc // members of the next input
	events   []doc
}

func (r *rig) talk(thread string) *conversation {
	own := *r // a test within the test takes the place of t
	return &conversation{rig: &own, thread: thread, state: doc{}, messages: []any{}}
}

// input is the input of the next run.
func (c *conversation) input(run string) doc {
	in := doc{"threadId": c.thread, "runId": run, "messages": c.messages, "state": c.state, "tools": c.tools, "context": []any{}, "forwardedProps": doc{}, "protocolVersion": "1.0"}
	if c.tools == nil {
		in["tools"] = []any{}
	}
	maps.Copy(in, c.more)
	return in
}

// run performs a run, checks the rules of the protocol, and takes over the snapshots. It returns the last event.
func (c *conversation) run(id string) doc {
	c.t.Helper()
	stream, rules := c.open(c.input(id)), newRules(c.t)
	c.more, c.events = nil, nil
	for e := stream.next(); e != nil; e = stream.next() {
		rules.check(e)
		c.events = append(c.events, e)
		switch e["type"] {
		case "MESSAGES_SNAPSHOT":
			c.messages, _ = e["messages"].([]any)
		case "STATE_SNAPSHOT":
			c.state = e["snapshot"]
		}
	}
	require.True(c.t, rules.over, "%v", c.events)
	return c.events[len(c.events)-1]
}

// say adds a message of the user and performs a run.
func (c *conversation) say(id, text string) doc {
	c.t.Helper()
	c.messages = append(c.messages, doc{"id": "user-" + id, "role": "user", "content": text})
	return c.run(id)
}

// types are the types of the events, repeated ones once.
func (c *conversation) types() (out []string) {
	for _, e := range c.events {
		if kind, _ := e["type"].(string); len(out) == 0 || out[len(out)-1] != kind {
			out = append(out, kind)
		}
	}
	return out
}

// of returns the events of a type.
func (c *conversation) of(kind string) (out []doc) {
	for _, e := range c.events {
		if e["type"] == kind {
			out = append(out, e)
		}
	}
	return out
}

// lines shows messages as "role: text".
func (c *conversation) lines() (out []string) {
	for _, m := range c.messages {
		message, _ := m.(doc)
		role, _ := message["role"].(string)
		text, _ := message["content"].(string)
		if calls, _ := message["toolCalls"].([]any); len(calls) > 0 {
			call, _ := calls[0].(doc)
			function, _ := call["function"].(doc)
			text += " [" + textIn(function["name"]) + textIn(function["arguments"]) + "]"
		}
		out = append(out, role+": "+text)
	}
	return out
}

// message returns a message of the conversation.
func (c *conversation) message(i int) doc {
	out, _ := c.messages[i].(doc)
	return out
}

func idOf(message any) any {
	m, _ := message.(doc)
	return m["id"]
}

func textIn(v any) string {
	text, _ := v.(string)
	return text
}
