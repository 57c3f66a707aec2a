package host_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// envOf is a middleware that takes a look at its Env.
type envOf struct {
	name string
	see  func(host.Env)
}

func (e envOf) Name() string { return e.name }

func (e envOf) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	e.see(env)
	return &host.Hooks{}, nil
}

// renamed is a middleware behind another name.
type renamed struct{ host.Middleware }

func (renamed) Name() string { return "renamed" }

func (r renamed) Unwrap() host.Middleware { return r.Middleware }

func TestAnAgentInsideOfAnotherInheritsItsConfiguration(t *testing.T) {
	t.Parallel()
	var inner host.Config
	var around []host.Middleware
	spy := envOf{"spy", func(env host.Env) {
		inner, around = env.Inner("inner"), env.Middleware
		env.Middleware[0] = nil // its own copy
	}}
	clock := func() time.Time { return time.Unix(1, 0) }
	store := memory.New()
	config := host.Config{
		Name: "outer", Model: scripted.NewTurns(), Models: map[string]model.Model{"small": scripted.NewTurns()}, SystemPrompt: abi.Text("x"),
		Tools: []host.Tool{tool.Func("t", "", func(context.Context, struct{}) (string, error) { return "", nil })},
		State: []host.Field{{Name: "f"}}, Checkpointer: store, Durability: host.DurabilityStep, RecursionLimit: 7,
		ToolCalls: host.ToolCallConfig{MaxLoops: 3, Alert: map[string]int{"t": 1}}, Logger: slog.New(slog.DiscardHandler),
		Clock: clock, Seed: func() uint64 { return 1 }, InterruptBefore: []string{"model"}, Middleware: []host.Middleware{renamed{spy}, spy},
	}
	agent, err := host.New(config)
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	require.Equal(t, "outer.inner", inner.Name)
	require.Same(t, config.Model, inner.Model)
	require.Equal(t, config.Models, inner.Models)
	require.Equal(t, config.State, inner.State)
	require.Len(t, inner.Tools, 1)
	require.Equal(t, host.DurabilityStep, inner.Durability)
	require.Equal(t, 7, inner.RecursionLimit)
	require.Equal(t, host.ToolCallConfig{MaxLoops: 3}, inner.ToolCalls)
	require.Same(t, store, inner.Checkpointer)
	require.Equal(t, clock(), inner.Clock())
	require.EqualValues(t, 1, inner.Seed())
	require.Empty(t, inner.SystemPrompt)
	require.Empty(t, inner.Middleware)
	require.Empty(t, inner.InterruptBefore)
	require.Equal(t, map[string]int{"t": 1}, config.ToolCalls.Alert)

	require.Len(t, around, 2)
	require.IsType(t, envOf{}, host.Unwrapped(renamed{renamed{spy}}))
	require.IsType(t, envOf{}, host.Unwrapped(spy))

	byHand := host.Env{Model: config.Model}
	require.Equal(t, "alone", byHand.Inner("alone").Name)
	require.NoError(t, agent.Close())
}

func TestWhatAnInnerAgentSpendsCounts(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(abi.Call("1", "spend", nil), abi.Call("2", "spend", nil)), scripted.Say("done"))
	b.tool("spend", func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		rt.Spend(abi.Usage{InputTokens: 10, OutputTokens: 1}, model.Cost{})
		if rt.CallID() != call.ID {
			return nil, errors.New("another call: " + rt.CallID())
		}
		return host.TextOutput(""), nil
	})
	b.use(host.BeforeAgent("w", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if rt.CallID() != "" || rt.AcceptsChanges() {
			return nil, errors.New("it is not a call, and goes on with nothing")
		}
		return nil, nil
	}))
	result := b.mustRun()
	require.Equal(t, abi.Usage{InputTokens: 20, OutputTokens: 2}, result.Usage)
}

func TestAThreadIsForgotten(t *testing.T) {
	t.Parallel()
	store := memory.New()
	agent, err := host.New(host.Config{Model: &scripted.Echo{}, Checkpointer: store, State: []host.Field{{Name: "f"}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	fields := agent.Fields()
	require.Len(t, fields, 1)
	require.Equal(t, "f", fields[0].Name)
	_, err = agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("x")}})
	require.NoError(t, err)
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	require.ErrorIs(t, agent.Forget(t.Context(), "t"), checkpoint.ErrBusy)
	require.NoError(t, session.Close())
	require.NoError(t, agent.Forget(t.Context(), "t"))
	_, err = agent.State(t.Context(), "t", 0)
	require.ErrorIs(t, err, checkpoint.ErrNoThread)
	require.NoError(t, agent.Forget(t.Context(), "t"), "again")

	none, err := host.New(host.Config{Model: &scripted.Echo{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, none.Close()) })
	require.ErrorIs(t, none.Forget(t.Context(), "t"), host.ErrNoCheckpointer)
}

// The seed of an input takes the place of the configuration's, and everything follows from it.
func TestTheSeedOfAnInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Model = &scripted.Echo{}
	agent, err := host.New(b.Config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	ids := map[string]string{}
	for _, seed := range []uint64{0, 42, 43, 43} {
		result, err := agent.Run(t.Context(), host.Input{Seed: seed, Messages: []abi.Message{abi.Human("x")}})
		require.NoError(t, err)
		first := result.Messages.At(0)
		if was, ok := ids[result.RunID]; ok {
			require.Equal(t, was, first.ID)
		}
		ids[result.RunID] = first.ID
	}
	require.Len(t, ids, 2)
	require.Contains(t, ids, "run-2a")
	require.Contains(t, ids, "run-2b")
}

// The update between two values leads from the one to the other, or is the later value.
func TestReducersTellWhatHasChanged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reducer       host.Reducer
		before, after any
		want          string
	}{
		"last":                 {host.Last(), 1, 2, "2"},
		"add":                  {host.Add(), 10, 12, "2"},
		"add downward":         {host.Add(), 10, -1, "-11"},
		"add floats":           {host.Add(), 1, 1.5, "0.5"},
		"add from unset":       {host.Add(), nil, 3, "3"},
		"add of far numbers":   {host.Add(), math.MinInt64, math.MaxInt64, "1.8446744073709552e19"},
		"add without a number": {host.Add(), "a", 3, "3"},
		"append":               {host.Append(), []any{1, "a"}, []any{1, "a", []any{}, 2}, "[[],2]"},
		"append nothing":       {host.Append(), []any{1}, []any{1}, "[]"},
		"append to unset":      {host.Append(), nil, []any{1}, "[1]"},
		"another list":         {host.Append(), []any{1, 2}, []any{2, 3, 4}, "[2,3,4]"},
		"a shorter list":       {host.Append(), []any{1, 2}, []any{1}, "[1]"},
		"no list":              {host.Append(), "a", "b", `"b"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, err := host.Encode(test.before)
			require.NoError(t, err)
			if test.before == nil {
				before = nil
			}
			after, err := host.Encode(test.after)
			require.NoError(t, err)
			change := test.reducer.Update(before, after)
			require.NoError(t, wire.Validate(change, wire.DefaultLimits))
			want, err := wire.FromJSON([]byte(test.want), wire.DefaultLimits)
			require.NoError(t, err)
			require.Equal(t, want.JSON(), change.JSON())
		})
	}
}
