package studio_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
)

// hostile is what a tool of an attacker returns: HTML, scripts, controls, marks of direction.
const hostile = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>\u202egnirts desrever\u0000\u001b[31m" +
	"[click](javascript:document.title='owned') ![x](https://attacker.example/leak.png)"

// gate holds a tool or a model until the test lets it go.
type gate struct{ began, let chan struct{} }

func newGate() *gate { return &gate{began: make(chan struct{}, 100), let: make(chan struct{}, 100)} }

func (g *gate) wait(ctx context.Context) error {
	g.began <- struct{}{}
	select {
	case <-g.let:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// french is a middleware that adds a sentence to the system prompt, and offers no files.
type french struct{}

func (french) Name() string { return "french" }

func (french) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	return &host.Hooks{
		WrapModelCall: host.WrapModelHook{PassesTokens: true, Func: func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			changed := req.WithSystem(abi.Text(req.System.Text() + " Answer in French when you are asked in French."))
			resp, err := next(ctx, changed.WithSettings(must(wire.MapOf(map[string]any{"temperature": 0.2}))))
			return resp, nil, err
		}},
	}, nil
}

// rules says what the model does when a person says something.
func rules(t testing.TB) *scripted.Rules {
	t.Helper()
	call := func(tool string, args map[string]any) []scripted.RuleCall {
		return []scripted.RuleCall{{Tool: tool, Args: args}}
	}
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", When: "^weather (.*)$", Say: "I look it up.", Call: call("get_weather", map[string]any{"city": "$1"})},
		scripted.Rule{From: "human", When: "^write (.*)$", Say: "I write it.", Call: call("write_file", map[string]any{"path": "notes.md", "content": "$1", "append": false})},
		scripted.Rule{From: "human", When: "^block", Call: call("block", map[string]any{})},
		scripted.Rule{From: "human", When: "^wait", Call: call("wait", map[string]any{})},
		scripted.Rule{From: "human", When: "^hostile", Call: call("hostile", map[string]any{"x": hostile})},
		scripted.Rule{From: "human", When: "^fail", Call: call("fail", map[string]any{})},
		scripted.Rule{From: "human", When: "^draw", Call: call("draw", map[string]any{})},
		scripted.Rule{From: "human", When: "^research (.*)$", Call: call("research", map[string]any{"prompt": "weather $1"})},
		scripted.Rule{From: "human", When: "^count ([0-9]+)$", Call: call("count_down", map[string]any{"from": "$1"})},
		scripted.Rule{From: "tool", Tool: "count_down", When: "^0$", Say: "That is all."},
		scripted.Rule{From: "tool", Tool: "count_down", When: "^([0-9]+)$", Call: call("count_down", map[string]any{"from": "$1"})},
		scripted.Rule{From: "human", When: "^markdown", Say: "# Weather\n\nIt is **sunny** in `Rome`.\n\n- one\n- two\n\n```go\nfmt.Println(\"hi\")\n```\n\n" +
			"| city | sky |\n|---|---|\n| Rome | blue |\n\nSee https://example.com/a."},
		scripted.Rule{From: "tool", When: "(?s)^(.*)$", Say: "The tool said: $1"},
		scripted.Rule{When: "(?s)^(.*)$", Say: "You said: $1"},
	)
	require.NoError(t, err)
	return rules
}

// usual is the middleware of most agents here: native and sandboxed, around models, tools and steps.
func usual(t testing.TB) []host.Middleware {
	t.Helper()
	redact, err := os.ReadFile("../../plugins/redact/redact.wasm")
	require.NoError(t, err)
	author, err := minisig.Generate()
	require.NoError(t, err)
	signature, err := author.Sign(redact, "redact")
	require.NoError(t, err)
	return []host.Middleware{
		builtin.TodoList{},
		french{},
		plugin.Wasm{
			ID: "redact", Bytes: redact, Config: map[string]any{"types": []any{"email"}}, Minisign: []string{author.Public().String()}, Signature: signature,
		},
		builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"write_file": {
			AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Edit, builtin.Reject, builtin.Respond},
			ArgsSchema: map[string]any{"type": "object", "required": []any{"path", "content"}, "properties": map[string]any{
				"path":    map[string]any{"type": "string", "title": "File", "enum": []any{"notes.md", "diary.md"}},
				"content": map[string]any{"type": "string", "description": "What to write, in Markdown.", "maxLength": 60},
				"append":  map[string]any{"type": "boolean", "title": "Append"},
				"mode":    map[string]any{"type": "integer", "title": "Mode", "maximum": 7},
			}},
		}}},
	}
}

// newAgent makes an agent with a model that follows rules, and tools.
func newAgent(t testing.TB, g *gate, middleware ...host.Middleware) runs.Agent {
	t.Helper()
	threads := memory.New()
	helper, err := host.New(host.Config{Name: "scout", Model: rules(t), Checkpointer: threads, SystemPrompt: abi.Text("You look things up."), Tools: []host.Tool{weather}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, helper.Close()) })
	research, err := tool.Agent("research", "Lets a scout look something up.", helper)
	require.NoError(t, err)
	agent, err := host.New(host.Config{
		Name: "helper", Model: &author{Rules: rules(t), gate: g}, Checkpointer: threads, Durability: host.DurabilityStep,
		SystemPrompt: abi.Text("You keep notes and know the weather."), Tools: append(tools(g), weather, research), Middleware: middleware,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return runs.Agent{Agent: agent, Threads: threads, Description: "keeps notes, and asks before it writes"}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
