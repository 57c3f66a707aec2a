package plugin_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

func TestBreaker(t *testing.T) {
	t.Parallel()
	for _, hook := range []abi.Hook{abi.BeforeModel, abi.WrapModelCall} {
		t.Run(string(hook), func(t *testing.T) {
			t.Parallel()
			var now atomic.Int64
			g := guestkit.Hooked(hook, abi.HookSpec{})
			g.On(string(hook), guestkit.Trap)
			w := plugin.Wasm{Bytes: g.Bytes(), Breaker: plugin.Breaker{Faults: 3, Window: time.Minute}}
			b := setup(t, w, func(c *host.Config) { c.Clock = func() time.Time { return time.Unix(now.Load(), 0) } })
			fails := func() []string {
				events, err := b.run(t)
				require.Equal(t, plugin.KindTrap, faultIn(t, err).Kind)
				return warnings(events)
			}
			bypassed := func(says string) {
				events, err := b.run(t)
				require.NoError(t, err)
				require.Len(t, warnings(events), 2, "each model call")
				require.Contains(t, warnings(events)[0], says)
			}
			breaker := func() *host.Breaker { return b.agent.Middleware()[0].Sandbox.Breaker }
			require.Equal(t, &host.Breaker{Faults: 3, Window: time.Minute}, breaker())
			require.Empty(t, fails())
			require.Equal(t, 1, breaker().Recent)
			now.Add(50)
			require.Empty(t, fails())
			now.Add(20) // the first fault is over a minute ago
			require.Empty(t, fails())
			now.Add(10)
			require.Equal(t, []string{`plugin "bad" made 3 faults within 1m0s: it is bypassed for 1m0s`}, fails())
			bypassed(`plugin "bad" is bypassed after repeated faults, for another 1m0s`)
			now.Add(59)
			bypassed("for another 1s")
			require.Equal(t, time.Second, breaker().Open)
			now.Add(1)
			require.Zero(t, breaker().Open)
			require.Len(t, fails(), 1, "one fault is enough after a chance")
			bypassed("for another 1m0s")
		})
	}
	for _, wrong := range []plugin.Breaker{{Faults: -1}, {Window: time.Second}, {Faults: 1, Window: -1}} {
		_, config := newBundle(plugin.Wasm{Bytes: []byte{}, Breaker: wrong})
		_, err := host.New(config)
		require.ErrorContains(t, err, "breaker")
	}
}

// TestBreakerForgets lets a plugin be well again after its chance.
func TestBreakerForgets(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	g := guestkit.Hooked(abi.BeforeAgent, abi.HookSpec{Messages: abi.ViewLast(1)})
	g.On("before_agent", guestkit.Get(0), guestkit.I32(1000), guestkit.Code{0x4a}, guestkit.When(guestkit.Trap), guestkit.Nothing) // traps at a long input
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Breaker: plugin.Breaker{Faults: 1}}, func(c *host.Config) {
		c.Clock = func() time.Time { return time.Unix(now.Load(), 0) }
	})
	long := abi.Human(string(make([]byte, 2000)))
	_, err := b.run(t, long)
	require.Equal(t, plugin.KindTrap, faultIn(t, err).Kind)
	events, err := b.run(t, long)
	require.NoError(t, err)
	require.NotEmpty(t, warnings(events))
	now.Add(60)
	events, err = b.run(t)
	require.NoError(t, err)
	require.Empty(t, warnings(events))
	_, err = b.run(t, long)
	require.Equal(t, plugin.KindTrap, faultIn(t, err).Kind)
}

// TestWatch changes the file of a plugin between runs.
func TestWatch(t *testing.T) {
	t.Parallel()
	says := func(name string) []byte {
		g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
		return g.On("before_model", g.HostCall(abi.OpEventEmit, guestkit.Document(&abi.EventEmit{Name: name}), abi.StatusOK), guestkit.Nothing).Bytes()
	}
	path := filepath.Join(t.TempDir(), "p.wasm")
	write := func(code []byte) {
		next := path + ".new"
		require.NoError(t, os.WriteFile(next, code, 0o600))
		require.NoError(t, os.Rename(next, path))
	}
	write(says("one"))
	b := setup(t, plugin.Wasm{ID: "p", Path: path, Watch: true})
	said := func() (names, warned []string) {
		events, err := b.run(t)
		require.NoError(t, err)
		for i := range events {
			if events[i].Type == host.EventCustom {
				names = append(names, events[i].Name)
			}
		}
		return names, warnings(events)
	}
	names, _ := said()
	require.Equal(t, []string{"one", "one"}, names)
	write(says("two"))
	names, warned := said()
	require.Equal(t, []string{"two", "two"}, names)
	require.Empty(t, warned)
	write([]byte("no module"))
	names, warned = said()
	require.Equal(t, []string{"two", "two"}, names)
	require.Len(t, warned, 1)
	require.Contains(t, warned[0], "the run goes on without the change")
	require.NoError(t, os.Remove(path))
	names, warned = said()
	require.Equal(t, []string{"two", "two"}, names)
	require.Empty(t, warned, "the same change is told once")
	write(says("three"))
	names, _ = said()
	require.Equal(t, []string{"three", "three"}, names)
}
