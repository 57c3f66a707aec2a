package plugin_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
)

// spin is a loop without an end.
var spin = code{0x03, 0x40, 0x0c, 0x00, 0x0b}

// work is a loop of so many turns. It uses the variable of the hook's parameter.
func work(turns int) code {
	return slices.Concat(i32(turns), code{0x21, 0x00, 0x03, 0x40, 0x20, 0x00}, i32(1), code{0x6b, 0x22, 0x00, 0x0d, 0x00, 0x0b})
}

// TestRunaways shows for everything that can go on for ever that it stops, and is told as what it is.
func TestRunaways(t *testing.T) {
	t.Parallel()
	fine := func() *guest { return hooked(abi.BeforeModel, abi.HookSpec{}) }
	start := fine().on("before_model", nothing)
	start.Start = start.Next()
	start.add("start", "", "", spin)
	for _, test := range []struct {
		name   string
		guest  *guest
		stage  string
		limits plugin.Limits
		kind   plugin.Kind
	}{
		{"start", start, "instantiate", plugin.Limits{}, plugin.KindFuel},
		{"_initialize", fine().on("before_model", nothing).add("_initialize", "", "", spin), "init", plugin.Limits{}, plugin.KindFuel},
		{"describe", fine().on("before_model", nothing).without("describe").add("describe", "", wasmI32, spin, nothing), "describe", plugin.Limits{}, plugin.KindFuel},
		{"configure", fine().on("before_model", nothing).on("configure", spin, nothing), "configure", plugin.Limits{}, plugin.KindFuel},
		{"hook", fine().on("before_model", spin, nothing), "before_model", plugin.Limits{Fuel: 1_000_000}, plugin.KindFuel},
		{"hook with a deadline", fine().on("before_model", spin, nothing), "before_model", plugin.Limits{Fuel: 1 << 60, Deadline: 50 * time.Millisecond}, plugin.KindDeadline},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := plugin.Wasm{Bytes: test.guest.bytes(), Limits: test.limits}
			if test.stage == "before_model" {
				_, err := setup(t, w).run(t)
				fault := faultIn(t, err)
				require.Equal(t, test.kind, fault.Kind, fault.Error())
				require.Equal(t, test.stage, fault.Stage)
				return
			}
			fault := loadError(t, w)
			require.Equal(t, test.stage, fault.Stage)
			if fault.Kind == plugin.KindDeadline { // on a busy machine, the time of loading ends before its fuel
				require.Contains(t, fault.Message, "it took more than its 10s of time")
				return
			}
			require.Equal(t, test.kind, fault.Kind, fault.Error())
		})
	}
}

// callTree is a guest whose hook calls a tree of functions, each of which calls the next one twice: it has no loop at all,
// and would run for ages.
func callTree() *guest {
	g := hooked(abi.BeforeModel, abi.HookSpec{})
	first := g.Next()
	for i := range 60 {
		next := first + i + 1
		g.add("", "", "", call(next), call(next))
	}
	return g.add("", "", "", nil).on("before_model", call(first), nothing)
}

// stopped runs a guest that never ends until its deadline, and collects garbage meanwhile. It returns how long after its
// deadline the guest stopped, and how long the longest collection took.
func stopped(t testing.TB, g *guest, deadline time.Duration) (late, collection time.Duration) {
	t.Helper()
	b := setup(t, plugin.Wasm{Bytes: g.bytes(), Limits: plugin.Limits{Fuel: 1 << 60, Deadline: deadline}})
	type outcome struct {
		err  error
		took time.Duration
	}
	done := make(chan outcome, 1)
	start := time.Now()
	go func() {
		_, err := b.agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
		done <- outcome{err, time.Since(start)}
	}()
	for {
		begun := time.Now()
		runtime.GC()
		collection = max(collection, time.Since(begun))
		select {
		case o := <-done:
			require.Equal(t, plugin.KindDeadline, faultIn(t, o.err).Kind)
			return o.took - deadline, collection
		default:
		}
	}
}

// TestStopIsPrompt: the fastest of some stops counts, since other work of the machine can only make one later.
func TestStopIsPrompt(t *testing.T) { //nolint:paralleltest // it measures time
	for name, g := range map[string]*guest{"loop": hooked(abi.BeforeModel, abi.HookSpec{}).on("before_model", spin, nothing), "tree of calls": callTree()} {
		late, collection := time.Hour, time.Hour
		for attempts := 5; attempts > 0 && max(late, collection) >= 100*time.Millisecond; attempts-- {
			l, c := stopped(t, g, 300*time.Millisecond)
			late, collection = min(late, l), min(collection, c)
		}
		require.Less(t, late, 100*time.Millisecond, name)
		require.Less(t, collection, 100*time.Millisecond, name)
	}
}

// TestFuelIsTold checks that the event of a hook says what it used, and that equal calls use the same.
func TestFuelIsTold(t *testing.T) {
	t.Parallel()
	b := setup(t, plugin.Wasm{Bytes: hooked(abi.BeforeModel, abi.HookSpec{}).on("before_model", nothing).bytes()})
	events, err := b.run(t)
	require.NoError(t, err)
	var used []uint64
	for i := range events {
		if events[i].Type == host.EventHook {
			used = append(used, events[i].Fuel)
		}
	}
	require.Equal(t, []uint64{1, 1}, used)
}

// slowModel takes its time.
type slowModel struct {
	searcher

	takes time.Duration
}

func (s *slowModel) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.searcher.Generate(ctx, req)
}

// TestWaitingIsFree lets a guest wait in next for longer than its deadline, between two pieces of work.
func TestWaitingIsFree(t *testing.T) {
	t.Parallel()
	g := hooked(abi.WrapModelCall, abi.HookSpec{})
	g.on("wrap_model_call", work(1_000_000), g.next(nil, abi.StatusOK), work(1_000_000), nothing)
	b := setup(t, plugin.Wasm{Bytes: g.bytes(), Limits: plugin.Limits{Deadline: 150 * time.Millisecond}}, func(c *host.Config) {
		c.Model = &slowModel{takes: 200 * time.Millisecond}
	})
	_, err := b.run(t)
	require.NoError(t, err)
}

// TestCancelledWhileItRuns cancels the run of a guest that spins: that is no fault, and no policy forgives it.
func TestCancelledWhileItRuns(t *testing.T) {
	t.Parallel()
	g := hooked(abi.BeforeModel, abi.HookSpec{}).on("before_model", spin, nothing)
	b := setup(t, plugin.Wasm{Bytes: g.bytes(), OnFailure: plugin.Open, Limits: plugin.Limits{Fuel: 1 << 60, Deadline: time.Hour}})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := b.agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var fault *plugin.Error
	require.NotErrorAs(t, err, &fault)
	require.Zero(t, b.model.Calls())
}
