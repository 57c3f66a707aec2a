package host_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, test := range []struct {
		name   string
		change func(b *bundle)
		want   string
	}{
		{"no model", func(b *bundle) { b.Model = nil }, "agent: Config.Model is missing"},
		{"a negative recursion limit", func(b *bundle) { b.RecursionLimit = -1 }, "agent: RecursionLimit is -1; it must be positive, or 0 for 10000"},
		{"a negative timeout", func(b *bundle) { b.ToolCalls.ToolTimeout = -1 }, "ToolCalls: field ToolTimeout is -1ns; it must be positive, or 0 for none"},
		{"an alert at nothing", func(b *bundle) { b.ToolCalls.Alert = map[string]int{"*": 0} }, `ToolCalls: field Alert of "*" is 0; it must be from 1 to 10000`},
		{"an alert without a name", func(b *bundle) { b.ToolCalls.Alert = map[string]int{"": 1} }, `ToolCalls: field Alert has a limit without a name; use a tool's, or "*" for all tools`},
		{"an alert of an unknown tool", func(b *bundle) {
			b.ToolCalls.Alert = map[string]int{"serch": 1}
			b.answering("search", "")
		}, `ToolCalls: field Alert names the tool "serch", which the agent does not have; did you mean "search"? It has [search]`},
		{"negative parallelism", func(b *bundle) { b.ToolCalls.Parallel = -1 }, "ToolCalls: field Parallel is -1; it must be positive, or 0 for 8"},
		{"a nil middleware", func(b *bundle) { b.use(b.noting("a"), nil) }, "middleware 1 of the list: is nil"},
		{"a middleware that fails", func(b *bundle) { b.use(&middleware{name: "m", err: broken}) }, `middleware "m": broken`},
		{"a middleware without hooks", func(b *bundle) { b.use(hookless{}) }, `middleware "hookless": Hooks returned nil`},
		{"a nil tool", func(b *bundle) { b.Tools = []host.Tool{nil} }, "agent: a tool is nil"},
		{"a tool without a name", func(b *bundle) { b.tool("", nil) }, "agent: a tool has no name"},
		{
			"a tool of a middleware whose parameters are not a schema",
			func(b *bundle) {
				bad := tool.Raw(abi.ToolSpec{Name: "t", Parameters: wire.Int(1)}, nil)
				b.use(host.BeforeAgent("m", constant(nil, nil), host.WithTools(bad)))
			},
			`middleware "m": tool "t": parameters: schema: must be a map`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			test.change(b)
			agent, err := host.New(b.Config)
			require.Nil(t, agent)
			var refused *host.ConfigError
			require.ErrorAs(t, err, &refused)
			require.EqualError(t, err, test.want)
		})
	}
}

type hookless struct{}

func (hookless) Name() string { return "hookless" }

func (hookless) Hooks(context.Context, host.Env) (*host.Hooks, error) { return nil, nil }

// closing is a middleware that notes when it is closed.
func (b *bundle) closing(name string, err error) *middleware {
	return &middleware{name: name, hooks: host.Hooks{Close: func() error {
		b.notef("close %s", name)
		return err
	}}}
}

func TestCloseClosesTheLastMiddlewareFirst(t *testing.T) {
	t.Parallel()
	first, second := errors.New("first"), errors.New("second")
	b := setup(t)
	b.use(b.closing("A", first), b.noting("without"), b.closing("B", nil), b.closing("C", second))
	agent, err := host.New(b.Config)
	require.NoError(t, err)

	err = agent.Close()

	require.Equal(t, []string{"close C", "close B", "close A"}, b.log)
	require.EqualError(t, err, "middleware \"C\": close: second\nmiddleware \"A\": close: first")
	require.ErrorIs(t, err, first)
	require.ErrorIs(t, err, second)
	require.NoError(t, agent.Close(), "once is enough")
	require.Len(t, b.log, 3)
}

func TestNewClosesWhatItBuiltBeforeAFailure(t *testing.T) {
	t.Parallel()
	broken, closing := errors.New("broken"), errors.New("cannot close")
	b := setup(t)
	b.use(b.closing("A", nil), b.closing("B", closing), &middleware{name: "C", err: broken}, b.closing("D", nil))

	_, err := host.New(b.Config)

	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, err, closing)
	require.Equal(t, []string{"close B", "close A"}, b.log)
}

func TestRepeatedNamesGetSuffixes(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	for _, name := range []string{"m", "m", "m#2", "m", "n"} {
		b.use(host.BeforeAgent(name, func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			b.notef("%s", rt.Step())
			return nil, nil
		}))
	}
	b.mustRun()
	require.Equal(t, []string{
		"m.before_agent", "m#2.before_agent", "m#2#2.before_agent", "m#3.before_agent", "n.before_agent",
	}, b.log)
}

// environment keeps what it is offered.
type environment struct{ got host.Env }

func (*environment) Name() string { return "env" }

func (e *environment) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	e.got = env
	return &host.Hooks{}, nil
}

func TestEnv(t *testing.T) {
	t.Parallel()
	small := scripted.NewTurns()
	var text strings.Builder
	first, second := &environment{}, &environment{}
	b := setup(t).use(first, second)
	b.Name, b.Models = "agent", map[string]model.Model{"small": small}
	b.Logger = slog.New(slog.NewTextHandler(&text, nil))

	b.build()

	require.Equal(t, "env", first.got.Name)
	require.Equal(t, "env#2", second.got.Name)
	require.Equal(t, "agent", second.got.Agent)
	require.Same(t, small, second.got.Models["small"])
	second.got.Logger.Info("hello")
	require.Contains(t, text.String(), "middleware=env#2")
}

func TestTheAgentsNameIsSetOnTheModelsMessages(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.Name = "agent"
	result := b.mustRun()
	first, last := result.Messages.At(0), result.Messages.At(1)
	require.Empty(t, first.Name)
	require.Equal(t, "agent", last.Name)
}

func TestOneAgentServesManyRuns(t *testing.T) {
	t.Parallel()
	b := setup(t).answering("work", "W")
	b.Model = &scripted.Echo{Calls: [][]abi.ToolCall{nil}}
	b.use(b.noting("m"))
	agent := b.build()
	done := make(chan *host.Result)
	const runs = 8
	for range runs {
		go func() {
			result, _ := agent.Run(t.Context(), hi())
			done <- result
		}()
	}
	for range runs {
		require.Equal(t, []string{"human: hi", "ai: hi"}, lines((<-done).Messages))
	}
}

// faulty is a middleware that goes wrong while the agent is built.
type faulty struct{ name string }

func (f faulty) Name() string { return f.name }

func (faulty) Hooks(context.Context, host.Env) (*host.Hooks, error) { panic("out of order") }

func TestMiddlewareThatCannotBeBuilt(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"":  "middleware 0 of the list: has no name; its method Name must return one",
		"x": `middleware "x": panic: out of order`,
	} {
		agent, err := host.New(host.Config{Model: scripted.NewTurns(), Middleware: []host.Middleware{faulty{name}}})
		require.Nil(t, agent)
		var config *host.ConfigError
		require.ErrorAs(t, err, &config)
		require.EqualError(t, err, want)
	}
}
