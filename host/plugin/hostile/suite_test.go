package hostile_test

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/hostile"
)

// The limits of a guest's effect on the host: how long loading it and running it three times may take, how long its hook
// may continue after its deadline on a busy machine, and how much the heap may grow. The heap includes the memory of
// several guests that run at once, and garbage that is not collected yet.
const (
	mostTime = 2 * time.Minute
	mostLate = time.Second
	mostHeap = 800 << 20
	engines  = 256 << 20
)

// TestGuests loads and runs every guest, next to well-behaved plugins.
func TestGuests(t *testing.T) {
	all := guests()
	runtime.GC()
	before, peak := heap(), watchHeap(t)
	t.Run("each", func(t *testing.T) {
		for _, g := range all {
			t.Run(g.Name, func(t *testing.T) {
				t.Parallel()
				s := newSubject(t, g)
				start := time.Now()
				s.try(t)
				s.close(t)
				require.Less(t, time.Since(start), mostTime)
			})
		}
	})
	t.Logf("the heap grew by %d MiB at the most", (max(peak.Load(), before)-before)>>20)
	require.Less(t, peak.Load(), before+mostHeap)
	runtime.GC()
	require.Less(t, heap(), before+16<<20, "nothing stays")
}

// usesLoadFuel reports whether a guest uses up its fuel while it is loaded, where no limit can be set.
func usesLoadFuel(g *hostile.Guest) bool {
	return slices.Contains(g.Kinds, plugin.KindFuel) && slices.Contains([]string{"instantiate", "init", "describe", "configure"}, g.Stage)
}

// kinds returns the kinds of fault that a guest may end with. On a busy machine, the time of loading ends before its fuel.
func kinds(g *hostile.Guest) []plugin.Kind {
	if usesLoadFuel(g) {
		return append(slices.Clone(g.Kinds), plugin.KindDeadline)
	}
	return g.Kinds
}

// heap returns the size of the heap in bytes.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// watchHeap returns the largest size that the heap has had.
func watchHeap(t *testing.T) *atomic.Uint64 {
	t.Helper()
	var peak atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				peak.Store(max(peak.Load(), heap()))
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-stopped
	})
	return &peak
}

// subject is a guest under test. The suite checks that its faults affect nothing else.
type subject struct {
	guest     hostile.Guest
	engine    *plugin.Engine
	module    []byte
	neighbour *bundle // an agent that shares the engine
}

func newSubject(t *testing.T, g hostile.Guest) *subject {
	t.Helper()
	engine, err := plugin.NewEngine(plugin.EngineConfig{Memory: engines})
	require.NoError(t, err)
	s := &subject{guest: g, engine: engine, module: g.Module()}
	s.neighbour = newBundle(s.good("alone"))
	require.NoError(t, s.neighbour.load())
	return s
}

// close checks that the neighbour still works, and that all resources were released.
func (s *subject) close(t *testing.T) {
	t.Helper()
	requireMarks(t, s.neighbour.run(t))
	s.neighbour.close(t)
	used, _ := s.engine.Memory()
	require.Zero(t, used, "all memory of guests is given back")
	require.NoError(t, s.engine.Close())
}

func (s *subject) wasm(policy plugin.FailurePolicy) plugin.Wasm {
	return plugin.Wasm{ID: "bad", Bytes: s.module, Limits: s.guest.Limits, OnFailure: policy, Engine: s.engine}
}

// good returns a plugin that works.
func (s *subject) good(id string) plugin.Wasm {
	return plugin.Wasm{ID: id, Bytes: hostile.Good(), Engine: s.engine}
}

// requireMarks checks that a run succeeded, and that the good plugin took part in it.
func requireMarks(t *testing.T, out outcome) {
	t.Helper()
	require.NoError(t, out.err)
	require.Equal(t, host.Completed, out.status)
	count, ok := out.state.Get("mark").AsInt()
	require.True(t, ok)
	require.GreaterOrEqual(t, count, int64(2), "a mark for each model call")
}

// try loads the guest, and runs it under either policy, while the neighbour works.
func (s *subject) try(t *testing.T) {
	t.Helper()
	b := newBundle(s.good("good"), s.wasm(plugin.Closed))
	err := b.load()
	beside := make(chan outcome, 1)
	go func() { beside <- s.neighbour.run(t) }()
	switch {
	case err != nil:
		s.requireFault(t, err)
	case s.guest.Benign:
		requireMarks(t, b.run(t))
		requireMarks(t, b.run(t))
	default:
		s.runs(t, b)
	}
	requireMarks(t, <-beside)
	b.close(t)
	b.said.requireClean(t)
	if err == nil && !s.guest.Benign {
		s.open(t)
	}
}

// runs runs a guest whose hook fails, and checks that its instance does not serve again.
func (s *subject) runs(t *testing.T, b *bundle) {
	t.Helper()
	first := b.run(t)
	if first.err == nil {
		require.Contains(t, s.guest.Kinds, plugin.Kind(""), "it must fail")
		return
	}
	s.requireError(t, first.err)
	if slices.Contains(s.guest.Kinds, plugin.KindDeadline) {
		late := first.took - s.guest.Limits.Deadline
		t.Logf("stopped %v after its deadline", late)
		require.Less(t, late, mostLate)
	}
	second := b.run(t)
	if s.guest.Once {
		requireMarks(t, second)
	} else {
		s.requireError(t, second.err)
	}
	if s.isFault() {
		require.NotEmpty(t, first.instances)
		require.NotContains(t, second.instances, first.instances[len(first.instances)-1], "the instance of the fault served again")
	}
}

// isFault reports whether the guest causes a fault, as opposed to an ordinary error.
func (s *subject) isFault() bool { return !slices.Contains(s.guest.Kinds, plugin.KindGuest) }

// open runs the guest once under the policy open, in which the run continues without it.
func (s *subject) open(t *testing.T) {
	t.Helper()
	if !s.isFault() || slices.Contains(s.guest.Kinds, "") {
		return
	}
	b := newBundle(s.good("good"), s.wasm(plugin.Open))
	require.NoError(t, b.load())
	requireMarks(t, b.run(t))
	require.Equal(t, 1, b.ran, "the tool ran once")
	b.close(t)
	b.said.requireClean(t)
}

// requireError checks the error of a run.
func (s *subject) requireError(t *testing.T, err error) {
	t.Helper()
	if s.isFault() {
		s.requireFault(t, err)
		return
	}
	require.Error(t, err)
}

// requireFault checks that the fault is classified correctly.
func (s *subject) requireFault(t *testing.T, err error) {
	t.Helper()
	g := s.guest
	require.Error(t, err)
	require.False(t, g.Benign, "%v", err)
	fault, ok := errors.AsType[*plugin.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, g.Stage, fault.Stage, fault.Error())
	require.Contains(t, kinds(&g), fault.Kind, fault.Error())
	if slices.Contains(g.Kinds, fault.Kind) {
		require.Contains(t, fault.Message, g.Says)
	}
	require.Equal(t, "bad", fault.Plugin)
	require.Regexp(t, "^sha256:[0-9a-f]{12}$", fault.Digest)
	require.LessOrEqual(t, len(fault.Error()), 8<<10)
}
