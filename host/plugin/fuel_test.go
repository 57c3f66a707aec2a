package plugin_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// TestRunaways shows for everything that can go on for ever that it stops, and is told as what it is.
func TestRunaways(t *testing.T) {
	t.Parallel()
	start := guestkit.Fine()
	start.Start = start.Next()
	start.Add(wasmbin.Function{Name: "start", Body: guestkit.Forever()})
	for _, test := range []struct {
		name   string
		guest  *guestkit.Module
		stage  string
		limits plugin.Limits
		kind   plugin.Kind
	}{
		{"start", start, "instantiate", plugin.Limits{}, plugin.KindFuel},
		{"_initialize", guestkit.Fine().Add(wasmbin.Function{Name: "_initialize", Body: guestkit.Forever()}), "init", plugin.Limits{}, plugin.KindFuel},
		{"describe", guestkit.Fine().Describe(guestkit.Forever(), guestkit.Nothing), "describe", plugin.Limits{}, plugin.KindFuel},
		{"configure", guestkit.Fine().On("configure", guestkit.Forever(), guestkit.Nothing), "configure", plugin.Limits{}, plugin.KindFuel},
		{"hook", endless(), "before_model", plugin.Limits{Fuel: 1_000_000}, plugin.KindFuel},
		{"hook with a deadline", endless(), "before_model", plugin.Limits{Fuel: 1 << 60, Deadline: 50 * time.Millisecond}, plugin.KindDeadline},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := plugin.Wasm{Bytes: test.guest.Bytes(), Limits: test.limits}
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

// endless returns a guest whose hook never ends.
func endless() *guestkit.Module {
	return guestkit.Hooked(abi.BeforeModel, abi.HookSpec{}).On("before_model", guestkit.Forever(), guestkit.Nothing)
}

// callTree is a guest whose hook calls a tree of functions, each of which calls the next one twice: it has no loop at all,
// and would run for ages.
func callTree() *guestkit.Module {
	g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	return g.On("before_model", guestkit.Call(g.CallTree(60)), guestkit.Nothing)
}

// stopped runs a guest that never ends until its deadline, and collects garbage meanwhile. It returns how long after its
// deadline the guest stopped, and how long the longest collection took.
func stopped(t testing.TB, g *guestkit.Module, deadline time.Duration) (late, collection time.Duration) {
	t.Helper()
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: plugin.Limits{Fuel: 1 << 60, Deadline: deadline}})
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

// TestStopIsPrompt: a guest that could not be interrupted would run for ages, and hold up each collection until its deadline. The fastest
// of some stops counts, since other work of the machine can only make one later.
func TestStopIsPrompt(t *testing.T) { //nolint:paralleltest // it measures time
	const deadline, prompt = 2 * time.Second, 500 * time.Millisecond
	for name, g := range map[string]*guestkit.Module{"loop": endless(), "tree of calls": callTree()} {
		late, collection := time.Hour, time.Hour
		for attempts := 5; attempts > 0 && max(late, collection) >= prompt; attempts-- {
			l, c := stopped(t, g, deadline)
			late, collection = min(late, l), min(collection, c)
		}
		require.Less(t, late, prompt, name)
		require.Less(t, collection, prompt, name)
	}
}

// TestFuelIsTold checks that the event of a hook says what it used, and that equal calls use the same.
func TestFuelIsTold(t *testing.T) {
	t.Parallel()
	b := setup(t, plugin.Wasm{Bytes: guestkit.Fine().Bytes()})
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
	g := guestkit.Hooked(abi.WrapModelCall, abi.HookSpec{})
	g.On("wrap_model_call", guestkit.Turns(1_000_000, 0), g.Forward(nil, abi.StatusOK), guestkit.Turns(1_000_000, 0), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: plugin.Limits{Deadline: 150 * time.Millisecond}}, func(c *host.Config) {
		c.Model = &slowModel{takes: 200 * time.Millisecond}
	})
	_, err := b.run(t)
	require.NoError(t, err)
}

// TestCancelledWhileItRuns cancels the run of a guest that spins: that is not a fault, and no policy forgives it.
func TestCancelledWhileItRuns(t *testing.T) {
	t.Parallel()
	g := endless()
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), OnFailure: plugin.Open, Limits: plugin.Limits{Fuel: 1 << 60, Deadline: time.Hour}})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := b.agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var fault *plugin.Error
	require.NotErrorAs(t, err, &fault)
	require.Zero(t, b.model.Calls())
}
