package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
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

// thinking is a model that answers by rules, thinks before it does, counts tokens, and fails when a person wants it to.
type thinking struct{ *scripted.Rules }

var errBroken = errors.New("the model is broken")

func (m thinking) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	for _, message := range req.Messages.All() {
		if message.Role == abi.RoleHuman && message.Content.Text() == "break" {
			return nil, errBroken
		}
	}
	resp, err := m.Rules.Generate(ctx, req)
	if err == nil {
		ai := resp.AI()
		ai.Usage = &abi.Usage{InputTokens: 10, OutputTokens: 5, TotalTokens: 15, CacheReadTokens: 4, ReasoningTokens: 2}
		ai.Content = abi.Blocks(append([]abi.Block{abi.ReasoningBlock("Hm.", "")}, ai.Content.Blocks()...)...)
	}
	return resp, err
}

func (m thinking) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp, err := m.Generate(ctx, req)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		if !yield(model.Chunk{Reasoning: "Hm."}, nil) {
			return
		}
		for word := range strings.SplitAfterSeq(resp.AI().Content.Text(), " ") {
			if word != "" && !yield(model.Chunk{Text: word}, nil) {
				return
			}
		}
		yield(model.Chunk{Response: resp}, nil)
	}
}

// report is what the agent structured answers with.
type report struct {
	City string `json:"city"`
}

// rig is a server with agents that answer by rules, and a client.
type rig struct {
	t      testing.TB
	url    string
	key    string
	client *http.Client
	began  chan struct{} // the tool block was called
	let    chan struct{} // it may end
	stop   func(context.Context)
}

// setup starts a server. yaml is its serve.yaml.
func setup(t testing.TB, yaml string) *rig {
	t.Helper()
	r := &rig{t: t, began: make(chan struct{}, 100), let: make(chan struct{})}
	agents := map[string]runs.Agent{"agent": r.agent(host.Config{Name: "agent"}), "structured": r.agent(host.Config{
		Name: "structured", ResponseFormat: host.Respond[report](),
	})}
	t.Cleanup(func() {
		for _, agent := range agents {
			require.NoError(t, agent.Close())
		}
	})
	s := doortest.Serve(t, yaml, server.Config{Agents: agents})
	r.url, r.client, r.stop = s.URL, s.Client, s.Stop
	return r
}

// agent returns an agent with the tools and rules of the tests.
func (r *rig) agent(c host.Config) runs.Agent {
	r.t.Helper()
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", When: "^weather (.*)$", Say: "I look.", Call: []scripted.RuleCall{{Tool: "get_weather", Args: doc{"city": "$1"}}}},
		scripted.Rule{From: "human", When: "^write (.*)$", Say: "I write it.", Call: []scripted.RuleCall{{Tool: "write_file", Args: doc{"content": "$1"}}}},
		scripted.Rule{From: "human", When: "^locate (.*)$", Call: []scripted.RuleCall{{Tool: "locate", Args: doc{"city": "$1"}}}},
		scripted.Rule{From: "human", When: "^report (.*)$", Call: []scripted.RuleCall{{Tool: "report", Args: doc{"city": "$1"}}}},
		scripted.Rule{From: "human", When: "^block", Call: []scripted.RuleCall{{Tool: "block", Args: doc{}}}},
		scripted.Rule{From: "tool", When: "(?s)(.*)", Say: "The tool said: $1"},
		scripted.Rule{When: "(?s)^(.*)$", Say: "You said: $1"},
	)
	require.NoError(r.t, err)
	threads := memory.New()
	c.Model, c.Checkpointer = thinking{rules}, threads
	c.Tools = []host.Tool{
		tool.Func("get_weather", "Tells the weather.", func(_ context.Context, in report) (string, error) { return "sunny in " + in.City, nil }),
		tool.Func("write_file", "Writes a file.", func(_ context.Context, in struct {
			Content string `json:"content"`
		},
		) (string, error) {
			return "wrote " + in.Content, nil
		}),
		doortest.Block(r.began, r.let),
	}
	c.Middleware = []host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{
		"write_file": {AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Reject}},
	}}}
	agent, err := host.New(c)
	require.NoError(r.t, err)
	return runs.Agent{Agent: agent, Threads: threads}
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
		text, err := json.Marshal(body)
		require.NoError(r.t, err)
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, reader)
	require.NoError(r.t, err)
	if r.key != "" {
		request.Header.Set("Authorization", "Bearer "+r.key)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := r.client.Do(request)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = response.Body.Close() })
	return &reply{response.StatusCode, response.Header, response.Body}
}

// do sends a request, and returns the answer with its document.
func (r *rig) do(method, path string, body any, header ...string) (*reply, doc) {
	r.t.Helper()
	response := r.send(r.t.Context(), method, path, body, header...)
	text, err := io.ReadAll(response.body)
	require.NoError(r.t, err)
	require.NoError(r.t, response.body.Close())
	var out doc
	require.NoError(r.t, json.Unmarshal(text, &out), "%s %s: %s", method, path, text)
	return response, out
}

// get sends a request that must succeed, and returns its document.
func (r *rig) get(method, path string, body any, header ...string) doc {
	r.t.Helper()
	response, out := r.do(method, path, body, header...)
	require.Equal(r.t, http.StatusOK, response.status, "%v", out)
	return out
}

// refused sends a request that must fail, and returns the error.
func (r *rig) refused(status int, method, path string, body any, header ...string) doc {
	r.t.Helper()
	response, out := r.do(method, path, body, header...)
	require.Equal(r.t, status, response.status, "%v", out)
	text := at(out, "error").(doc) //nolint:forcetypeassert // require would say the same
	require.NotEmpty(r.t, text["message"])
	require.Contains(r.t, text, "param")
	require.Contains(r.t, text, "code")
	return text
}

// user is a request with a message of the user.
func user(text string, more ...any) doc {
	return with(doc{"model": "agent", "messages": []any{message("user", text)}}, more...)
}

// input is the same for a response.
func input(text string, more ...any) doc { return with(doc{"model": "agent", "input": text}, more...) }

func with(body doc, more ...any) doc {
	for i := 0; i < len(more); i += 2 {
		body[more[i].(string)] = more[i+1] //nolint:forcetypeassert // a test
	}
	return body
}

func message(role, text string) doc { return doc{"role": role, "content": text} }

// chat returns a chat completion.
func (r *rig) chat(body doc, header ...string) doc {
	r.t.Helper()
	return r.get("POST", "/v1/chat/completions", body, header...)
}

// said returns the text of a chat completion.
func said(completion doc) any { return at(completion, "choices", 0, "message", "content") }

// at returns what is at a place in a document.
func at(v any, keys ...any) any {
	for _, key := range keys {
		switch k := key.(type) {
		case string:
			object, _ := v.(doc)
			v = object[k]
		case int:
			list, _ := v.([]any)
			if k < 0 {
				k += len(list)
			}
			if k < 0 || k >= len(list) {
				return nil
			}
			v = list[k]
		}
	}
	return v
}

// frames reads a stream to its end. The last frame of a chat completion is "[DONE]".
func (r *rig) frames(response *reply) (out []any) {
	r.t.Helper()
	require.Equal(r.t, http.StatusOK, response.status)
	reader := sse.NewReader(response.body, 0)
	for {
		e, err := reader.Next()
		if err != nil {
			require.ErrorIs(r.t, err, io.EOF)
			require.NoError(r.t, response.body.Close())
			return out
		}
		if string(e.Data) == "[DONE]" {
			out = append(out, "[DONE]")
			continue
		}
		var document doc
		require.NoError(r.t, json.Unmarshal(e.Data, &document))
		if kind, ok := document["type"].(string); ok {
			require.Equal(r.t, e.Name, kind)
		}
		out = append(out, document)
	}
}

// stream sends a request whose answer is a stream.
func (r *rig) stream(path string, body doc, header ...string) []any {
	r.t.Helper()
	body["stream"] = true
	return r.frames(r.send(r.t.Context(), "POST", path, body, header...))
}

// joined returns the texts of a member of all deltas.
func joined(frames []any, name string) string {
	var out strings.Builder
	for _, f := range frames {
		text, _ := at(f, "choices", 0, "delta", name).(string)
		out.WriteString(text)
	}
	return out.String()
}

const (
	annsKey = "ann-0123456789abcdef"
	bobsKey = "bob-0123456789abcdef"
)

// keys is a serve.yaml with two owners, and keys of one of them that may do less.
func keys() string {
	return doortest.Keys(
		doortest.Key{Key: annsKey, Owner: "ann", Scopes: "admin"},
		doortest.Key{Key: bobsKey, Owner: "bob", Scopes: "admin"},
		doortest.Key{Key: onlyThreads, Owner: "ann", Scopes: "threads"},
		doortest.Key{Key: onlyRuns, Owner: "ann", Scopes: "runs"},
	)
}

const (
	onlyThreads = "only-0123456789-threads"
	onlyRuns    = "only-0123456789-runs"
)

// patience is how long a test waits for what happens by real time.
const patience = 5 * time.Second
