package plugin_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/meter"
)

// profiles says that TestFuelProfile writes its files; make profiles does.
var profiles = flag.Bool("profiles", false, "write what the functions of guests use into bench/profiles")

// fuelProfile sums up the fuel that each function of a guest uses itself, and how often it is called. It listens to all functions.
type fuelProfile struct {
	functions map[string]*functionUse
	stack     []*functionUse
	left      int64 // in the meter when a function began or ended last
}

type functionUse struct{ fuel, calls int64 }

func (p *fuelProfile) NewFunctionListener(f api.FunctionDefinition) experimental.FunctionListener {
	return &profiledFunction{p, strings.TrimPrefix(f.DebugName(), f.ModuleName()+".")}
}

// charge adds what was used since the last event to the function that is running.
func (p *fuelProfile) charge(m api.Module) {
	left := p.left
	if fuel := m.ExportedGlobal(meter.Fuel); fuel != nil {
		left = int64(fuel.Get())
	}
	if n := len(p.stack); n > 0 && left < p.left { // it rises when the host gives the guest the next slice
		p.stack[n-1].fuel += p.left - left
	}
	p.left = left
}

// profiledFunction is one function.
type profiledFunction struct {
	*fuelProfile

	name string
}

func (f *profiledFunction) Before(_ context.Context, m api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
	f.charge(m)
	use := f.functions[f.name]
	if use == nil {
		use = &functionUse{}
		f.functions[f.name] = use
	}
	use.calls++
	f.stack = append(f.stack, use)
}

func (f *profiledFunction) After(_ context.Context, m api.Module, _ api.FunctionDefinition, _ []uint64) {
	f.charge(m)
	f.stack = f.stack[:len(f.stack)-1]
}

func (f *profiledFunction) Abort(context.Context, api.Module, api.FunctionDefinition, error) {
	f.stack = nil
}

// report lists the functions that use most, by call of the hook.
func (p *fuelProfile) report(calls int64) string {
	names := slices.SortedFunc(maps.Keys(p.functions), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.functions[b].fuel, p.functions[a].fuel), cmp.Compare(a, b))
	})
	sum := int64(0)
	for _, use := range p.functions {
		sum += use.fuel
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%8.1f units a call\n\n   units   calls  function\n", float64(sum)/float64(calls))
	for _, name := range names[:min(len(names), 25)] {
		use := p.functions[name]
		fmt.Fprintf(&out, "%8.1f %7.2f  %s\n", float64(use.fuel)/float64(calls), float64(use.calls)/float64(calls), name)
	}
	return out.String()
}

// fuelProfileHead says what a profile shows, and how it was made.
const fuelProfileHead = `%s: the fuel that the guest's functions use themselves.

Written by ` + "`make profiles`" + `, and held by TestFuelProfile:

  go test -count=1 ./host/plugin -run '^TestFuelProfile$' -profiles

`

// profiled is a guest, and a way to call one of its hooks.
type profiled struct {
	what string
	code func(t *testing.T) []byte
	call func(t *testing.T, hooks *host.Hooks, do func(call func() error))
}

// reads calls a hook that reads a message of 1 KB and returns an update.
func reads(t *testing.T, hooks *host.Hooks, do func(call func() error)) {
	t.Helper()
	inRun(t, hooks.BeforeModel, 1, kilobyte, do)
}

// wraps calls a layer around a model call that only calls next.
func wraps(t *testing.T, hooks *host.Hooks, do func(call func() error)) {
	t.Helper()
	inWrap(t, hooks.WrapModelCall, do)
}

// TestFuelProfile holds which functions of a guest use the fuel of a hook, in calls during which the guest does not collect garbage. The files
// are beside the tables that they explain.
func TestFuelProfile(t *testing.T) {
	t.Parallel()
	tiny := func(t *testing.T) []byte { t.Helper(); return tinyGuest(t, "bench") }
	leaking := func(t *testing.T) []byte { t.Helper(); return tinyGuest(t, "bench-leaking") }
	rust := func(t *testing.T) []byte { t.Helper(); return rustGuest(t) }
	hand := func(t *testing.T) []byte { t.Helper(); return passByHand() }
	for name, p := range map[string]profiled{
		"hook-tinygo":         {"A hook in TinyGo that reads a message of 1 KB", tiny, reads},
		"hook-tinygo-leaking": {"A hook in TinyGo, gc: leaking, that reads a message of 1 KB", leaking, reads},
		"hook-rust":           {"A hook in Rust that reads a message of 1 KB", rust, reads},
		"wrap-tinygo":         {"A layer of a wrap in TinyGo that only calls next", tiny, wraps},
		"wrap-tinygo-leaking": {"A layer of a wrap in TinyGo, gc: leaking, that only calls next", leaking, wraps},
		"wrap-rust":           {"A layer of a wrap in Rust that only calls next", rust, wraps},
		"wrap-by-hand":        {"A layer of a wrap that only calls next, written by hand", hand, wraps},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := fmt.Sprintf(fuelProfileHead, p.what) + fuelReport(t, &p)
			file := filepath.Join("..", "..", "bench", "profiles", name+".txt")
			if *profiles {
				require.NoError(t, os.WriteFile(file, []byte(report), 0o644))
			}
			committed, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(committed), report, "run make profiles, and say why it takes more")
		})
	}
}

// fuelReport calls the hook, and lists what its functions use.
func fuelReport(t *testing.T, p *profiled) string {
	t.Helper()
	profile := &fuelProfile{functions: map[string]*functionUse{}}
	engine, err := plugin.NewEngine(plugin.EngineConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	w := plugin.Wasm{ID: "bench", Bytes: p.code(t), Engine: engine, Limits: plugin.Limits{Instances: 1}}
	hooks, err := w.Hooks(experimental.WithFunctionListenerFactory(t.Context(), profile), host.Env{Name: "bench", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, hooks.Close()) })
	const calls = 20
	p.call(t, hooks, func(call func() error) {
		require.NoError(t, call())
		clear(profile.functions)
		for range calls {
			require.NoError(t, call())
		}
	})
	return profile.report(calls)
}
