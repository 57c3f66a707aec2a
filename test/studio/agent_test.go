package studio_test

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
)

// hostile is what a tool of an attacker returns: HTML, scripts, controls, marks of direction.
const hostile = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>\u202egnirts desrever\u0000\u001b[31m" +
	"[click](javascript:document.title='owned') ![x](https://attacker.example/leak.png)"

// gate holds a tool until the test lets it go.
type gate struct{ began, let chan struct{} }

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

func newAgent(t testing.TB, g *gate, more ...host.Middleware) runs.Agent {
	t.Helper()
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", When: "^weather (.*)$", Say: "I look it up.", Call: []scripted.RuleCall{{Tool: "get_weather", Args: map[string]any{"city": "$1"}}}},
		scripted.Rule{From: "human", When: "^write (.*)$", Say: "I write it.", Call: []scripted.RuleCall{
			{Tool: "write_file", Args: map[string]any{"path": "notes.md", "content": "$1", "append": false}},
		}},
		scripted.Rule{From: "human", When: "^block", Call: []scripted.RuleCall{{Tool: "block", Args: map[string]any{}}}},
		scripted.Rule{From: "human", When: "^hostile", Call: []scripted.RuleCall{{Tool: "hostile", Args: map[string]any{"x": hostile}}}},
		scripted.Rule{From: "human", When: "^fail", Call: []scripted.RuleCall{{Tool: "fail", Args: map[string]any{}}}},
		scripted.Rule{From: "human", When: "^markdown", Say: "# Weather\n\nIt is **sunny** in `Rome`.\n\n- one\n- two\n\n```go\nfmt.Println(\"hi\")\n```\n\n" +
			"| city | sky |\n|---|---|\n| Rome | blue |\n\nSee https://example.com/a."},
		scripted.Rule{From: "tool", When: "(?s)^(.*)$", Say: "The tool said: $1"},
		scripted.Rule{When: "(?s)^(.*)$", Say: "You said: $1"},
	)
	require.NoError(t, err)
	threads := memory.New()
	redact, err := os.ReadFile("../../plugins/redact/redact.wasm")
	require.NoError(t, err)
	agent, err := host.New(host.Config{
		Name: "helper", Model: rules, Checkpointer: threads, Durability: host.DurabilityStep, SystemPrompt: abi.Text("You keep notes and know the weather."),
		Tools: []host.Tool{
			tool.Func("get_weather", "Tells the weather of a city.", func(_ context.Context, in struct {
				City string `json:"city"`
			},
			) (string, error) {
				return "sunny in " + in.City, nil
			}),
			tool.Func("write_file", "Writes a file.", func(_ context.Context, in struct {
				Path    string `json:"path"`
				Content string `json:"content"`
				Append  bool   `json:"append"`
			},
			) (string, error) {
				return fmt.Sprintf("wrote %q to %s", in.Content, in.Path), nil
			}),
			tool.Func("block", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
				g.began <- struct{}{}
				select {
				case <-g.let:
					return "it is done", nil
				case <-ctx.Done():
					return "", context.Cause(ctx)
				}
			}),
			tool.Func("hostile", "Returns what an attacker wrote.", func(context.Context, struct {
				X string `json:"x"`
			},
			) (string, error) {
				return hostile, nil
			}),
			tool.Func("fail", "Fails.", func(context.Context, struct{}) (string, error) { return "", errors.New("the disk is full") }),
		},
		Middleware: append([]host.Middleware{
			builtin.TodoList{},
			french{},
			plugin.Wasm{ID: "redact", Bytes: redact, Config: map[string]any{"types": []any{"email"}}},
			builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"write_file": {
				AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Edit, builtin.Reject, builtin.Respond},
			}}},
		}, more...),
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
