package a2a_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	storememory "github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/a2a/older"
	"github.com/agenthost/agenthost/server/internal/doortest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// doc is an object in JSON.
type doc = map[string]any

// rig is a server with an agent that answers by rules, and a client.
type rig struct {
	t       testing.TB
	url     string
	key     string
	client  *http.Client
	began   chan struct{} // the tool block was called
	let     chan struct{} // it may end
	handler http.Handler
	stop    func(context.Context) // stops the server
}

const (
	annsKey = "ann-0123456789abcdef"
	bobsKey = "bob-0123456789abcdef"
	noRuns  = "nor-0123456789abcdef"

	onlyRuns = "run-0123456789abcdef"
)

// keys is a serve.yaml with two owners.
func keys() string {
	return doortest.Keys(
		doortest.Key{Key: annsKey, Owner: "ann", Scopes: "admin"},
		doortest.Key{Key: bobsKey, Owner: "bob", Scopes: "admin"},
		doortest.Key{Key: noRuns, Owner: "ann", Scopes: "threads"},
		doortest.Key{Key: onlyRuns, Owner: "ann", Scopes: "runs"},
	)
}

// setup starts a server with the agents named. yaml is its serve.yaml.
func setup(t testing.TB, yaml string, names ...string) *rig {
	t.Helper()
	return setupWith(t, yaml, server.Config{}, names...)
}

// setupWith is setup with stores. Those that the config does not name are in memory.
func setupWith(t testing.TB, yaml string, c server.Config, names ...string) *rig {
	t.Helper()
	r := &rig{
		t: t, began: make(chan struct{}, 100), let: make(chan struct{}),
	}
	if len(names) == 0 {
		names = []string{"agent"}
	}
	agents := map[string]runs.Agent{}
	for _, name := range names {
		threads := memory.New()
		agents[name] = runs.Agent{Agent: r.agent(name, threads), Threads: threads, Description: "It answers."}
	}
	c.Agents, c.OlderA2A = agents, older.New()
	if c.Store == nil {
		c.Store = semantic.WithoutIndex(storememory.New())
	}
	s := doortest.Serve(t, yaml, c)
	r.url, r.handler, r.client, r.stop = s.URL, s.Handler, s.Client, s.Stop
	return r
}

// agent returns an agent that answers by rules.
func (r *rig) agent(name string, threads *memory.Store) *host.Agent {
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", When: "^weather (.*)$", Call: []scripted.RuleCall{{Tool: "get_weather", Args: doc{"city": "$1"}}}},
		scripted.Rule{From: "human", When: "^write (.*)$", Say: "I write it.", Call: []scripted.RuleCall{{Tool: "write_file", Args: doc{"content": "$1"}}}},
		scripted.Rule{From: "human", When: "^ask (.*)$", Call: []scripted.RuleCall{{Tool: "ask", Args: doc{"question": "$1"}}}},
		scripted.Rule{From: "human", When: "^block", Say: "I wait.", Call: []scripted.RuleCall{{Tool: "block", Args: doc{}}}},
		scripted.Rule{From: "tool", When: "(?s)(.*)", Say: "The tool said: $1"},
		scripted.Rule{When: "(?s)^(.*)$", Say: "You said: $1"},
	)
	require.NoError(r.t, err)
	agent, err := host.New(host.Config{
		Name: name, Model: rules, Checkpointer: threads,
		Tools: []host.Tool{
			tool.Func("get_weather", "Tells the weather.", func(ctx context.Context, in struct {
				City string `json:"city"`
			},
			) (string, error) {
				value, err := host.Encode(doc{"progress": "asking about " + in.City})
				host.RuntimeOf(ctx).Emit("progress", value)
				return "sunny in " + in.City, err
			}),
			tool.Func("write_file", "Writes a file.", func(_ context.Context, in struct {
				Content string `json:"content"`
			},
			) (string, error) {
				return "wrote " + in.Content, nil
			}),
			tool.Func("ask", "Asks a person.", func(ctx context.Context, in struct {
				Question string `json:"question"`
			},
			) (string, error) {
				answer, err := host.RuntimeOf(ctx).Interrupt("question", wire.String(in.Question))
				if err != nil {
					return "", err
				}
				text, _ := answer.AsString()
				return text, nil
			}),
			doortest.Block(r.began, r.let),
		},
		Middleware: []host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"write_file": {AllowedDecisions: []builtin.DecisionType{
			builtin.Approve, builtin.Edit, builtin.Reject, builtin.Respond,
		}}}}},
	})
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, agent.Close()) })
	return agent
}

// as returns the client with another key.
func (r *rig) as(key string) *rig {
	other := *r
	other.key = key
	return &other
}

// reply is an answer whose body is still to be read. It is closed when the test ends.
type reply struct {
	StatusCode int
	Header     http.Header
	Body       io.ReadCloser
}

// send sends a request. The body may be a text or a value.
func (r *rig) send(ctx context.Context, method, path string, body any, header ...string) *reply {
	r.t.Helper()
	text, ok := body.(string)
	if !ok && body != nil {
		encoded, err := json.Marshal(body)
		require.NoError(r.t, err)
		text = string(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, strings.NewReader(text))
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
func (r *rig) do(method, path string, body any, header ...string) (int, doc) {
	r.t.Helper()
	response := r.send(r.t.Context(), method, path, body, header...)
	text, err := io.ReadAll(response.Body)
	require.NoError(r.t, err)
	require.NoError(r.t, response.Body.Close())
	if strings.TrimSpace(string(text)) == "" {
		return response.StatusCode, nil
	}
	var document doc
	require.NoError(r.t, json.Unmarshal(text, &document), "%s %s: %s", method, path, text)
	return response.StatusCode, document
}

// call calls a method by JSON-RPC, and returns the answer.
func (r *rig) call(method string, params any) doc {
	r.t.Helper()
	status, answer := r.do("POST", "/a2a/agent", doc{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	require.Equal(r.t, http.StatusOK, status, "%v", answer)
	return answer
}

// result calls a method that must succeed.
func (r *rig) result(method string, params any) doc {
	r.t.Helper()
	answer := r.call(method, params)
	require.Nil(r.t, answer["error"], "%v", answer)
	result, _ := answer["result"].(doc)
	return result
}

// refused calls a method that must fail with a code, and returns the text.
func (r *rig) refused(code float64, method string, params any) string {
	r.t.Helper()
	failure, _ := r.call(method, params)["error"].(doc)
	require.InDelta(r.t, code, failure["code"], 0, "%v", failure)
	text, _ := failure["message"].(string)
	return text
}

// message returns the parameters of a message. fields are added to it.
func message(text string, fields ...any) doc {
	m := doc{"messageId": "m-" + text, "role": "ROLE_USER", "parts": []any{doc{"text": text}}}
	for i := 0; i < len(fields); i += 2 {
		m[textIn(fields[i])] = fields[i+1]
	}
	return doc{"message": m}
}

// task sends a message, and returns the task that it leads to.
func (r *rig) task(params doc) doc {
	r.t.Helper()
	task, ok := r.result("SendMessage", params)["task"].(doc)
	require.True(r.t, ok)
	return task
}

func stateOf(task any) any {
	t, _ := task.(doc)
	status, _ := t["status"].(doc)
	return status["state"]
}

// texts returns the texts of the parts of artifacts or messages.
func texts(list any) (out []string) {
	all, _ := list.([]any)
	for _, one := range all {
		m, _ := one.(doc)
		parts, _ := m["parts"].([]any)
		var text strings.Builder
		for _, p := range parts {
			part, _ := p.(doc)
			said, _ := part["text"].(string)
			text.WriteString(said)
		}
		out = append(out, text.String())
	}
	return out
}

// events reads a stream to its end, and returns the results of its events.
func (r *rig) events(response *reply) (out []doc) {
	r.t.Helper()
	require.Equal(r.t, "text/event-stream", response.Header.Get("Content-Type"))
	text, err := io.ReadAll(response.Body)
	require.NoError(r.t, err)
	for frame := range strings.SplitSeq(string(text), "\n\n") {
		_, data, found := strings.Cut(frame, "data: ")
		if !found {
			continue
		}
		var event doc
		require.NoError(r.t, json.Unmarshal([]byte(data), &event), "%s", data)
		if result, ok := event["result"].(doc); ok {
			event = result
		}
		out = append(out, event)
	}
	return out
}

// objectIn, listIn and textIn return a value of a document, or none if it has another type.
func objectIn(value any) doc {
	out, _ := value.(doc)
	return out
}

func listIn(value any) []any {
	out, _ := value.([]any)
	return out
}

func textIn(value any) string {
	out, _ := value.(string)
	return out
}
