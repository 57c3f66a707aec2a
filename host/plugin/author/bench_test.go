package author_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

func measure(t *testing.T, module []byte, hooks ...abi.Hook) ([]author.Measurement, error) {
	t.Helper()
	return author.Bench(t.Context(), plugin.Wasm{ID: "bad", Bytes: module, Engine: compiled}, 20*time.Millisecond, hooks...)
}

// TestBenchOfEveryHook measures a plugin that has them all: the numbers that do not depend on the machine are exact.
func TestBenchOfEveryHook(t *testing.T) {
	t.Parallel()
	field := abi.FieldSpec{Name: "n", Lifetime: "run", Reducer: "add"}
	g := guestkit.New(abi.Description{Fields: []abi.FieldSpec{field}, Hooks: abi.HookSpecs{
		BeforeAgent: &abi.HookSpec{}, BeforeModel: &abi.HookSpec{Messages: abi.ViewNew(), Reads: []string{"n"}}, AfterModel: &abi.HookSpec{},
		AfterAgent: &abi.HookSpec{}, WrapModelCall: &abi.HookSpec{}, WrapToolCall: &abi.HookSpec{Tools: []string{"search"}},
	}})
	result := guestkit.Document(&abi.Result{State: wire.Map{{Key: "n", Value: wire.Int(1)}}})
	g.On("before_agent", guestkit.Nothing).On("before_model", g.Say(result)).On("after_model", g.Write(result), guestkit.Nothing)
	g.On("after_agent", g.Say(guestkit.Document(&abi.Result{Error: &abi.Error{Type: "t", Message: "not \x1b[2Jtoday"}})))
	g.On("wrap_model_call", g.Forward(nil, abi.StatusOK), guestkit.Nothing)
	g.On("wrap_tool_call", g.Forward(nil, abi.StatusOK),
		g.Say(guestkit.Document(&abi.Result{Interrupts: []abi.Interrupt{{Key: "k", Value: wire.Int(1)}}})))
	all, err := measure(t, g.Bytes())
	require.NoError(t, err)
	require.Len(t, all, 6)
	for i, hook := range abi.Hooks() {
		m := &all[i]
		require.Equal(t, hook, m.Hook)
		require.Positive(t, m.Calls)
		require.Positive(t, m.Time.P50)
		require.GreaterOrEqual(t, m.Time.P99, m.Time.P50)
		require.Positive(t, m.Empty.P50)
		require.Positive(t, m.Ratio)
		require.Positive(t, m.Fuel.P50)
		require.Equal(t, m.Fuel.P50, m.Fuel.P99, "it does the same each time")
		require.Equal(t, int64(guestkit.MinPages<<16), m.Memory)
		require.Less(t, m.Input, 3_000)
		require.Positive(t, m.Input)
	}
	outcomes := map[abi.Hook]author.Measurement{}
	for _, m := range all {
		outcomes[m.Hook] = m
	}
	require.Equal(t, "nothing", outcomes[abi.BeforeAgent].Outcome)
	require.Greater(t, outcomes[abi.BeforeModel].Input, 1_000, "it is shown the tool's answer")
	require.Equal(t, len(result), outcomes[abi.BeforeModel].Result)
	require.Equal(t, "result", outcomes[abi.BeforeModel].Outcome)
	require.Equal(t, "error", outcomes[abi.AfterAgent].Outcome)
	require.NotContains(t, outcomes[abi.AfterAgent].Message, "\x1b")
	require.Equal(t, "nothing", outcomes[abi.WrapModelCall].Outcome)
	require.Greater(t, outcomes[abi.WrapToolCall].Reply, 1_000)
	require.Equal(t, "interrupt", outcomes[abi.WrapToolCall].Outcome)

	one, err := measure(t, g.Bytes(), abi.AfterModel)
	require.NoError(t, err)
	require.Len(t, one, 1)
	require.Equal(t, abi.AfterModel, one[0].Hook)
}

func TestBenchTellsOfFaults(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	_, err := measure(t, g.On("before_model", guestkit.Trap).Bytes())
	require.Equal(t, plugin.KindTrap, faultIn(t, err).Kind)
	_, err = measure(t, []byte("no module"))
	require.Equal(t, plugin.KindMalformed, faultIn(t, err).Kind)
	_, err = measure(t, guestkit.Fine().Bytes(), abi.AfterAgent)
	require.ErrorContains(t, err, "no hook after_agent")
	none, err := measure(t, guestkit.New(abi.Description{}).Bytes())
	require.NoError(t, err)
	require.Empty(t, none)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	module := guestkit.Fine().Bytes()
	_, err = author.Bench(ctx, plugin.Wasm{Bytes: module, Engine: compiled}, time.Hour)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// leaking is a guest that takes a MiB in each call.
func leaking() []byte {
	g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	return g.On("before_model", guestkit.I32(16), guestkit.Grow, guestkit.Drop, guestkit.Nothing).Bytes()
}

func TestLeaksAreReported(t *testing.T) {
	t.Parallel()
	w := plugin.Wasm{ID: "bad", Bytes: leaking(), Engine: compiled}

	all, err := author.Bench(t.Context(), w, 50*time.Millisecond)
	require.NoError(t, err)
	require.Greater(t, all[0].Leak, 100_000.0)

	findings := author.Check(t.Context(), w)
	require.Len(t, findings[1].Warnings, 1)
	require.Equal(t, author.WarnLeak, findings[1].Warnings[0].Code)
	require.Contains(t, findings[1].Warnings[0].Text, "it leaks: its memory grows by")

	w.Bytes = twoHooks(func(*guestkit.Module) guestkit.Code { return guestkit.Nothing })
	all, err = author.Bench(t.Context(), w, 50*time.Millisecond)
	require.NoError(t, err)
	require.Zero(t, all[0].Leak)
	for _, f := range author.Check(t.Context(), w) {
		require.Empty(t, f.Warnings)
	}
}
