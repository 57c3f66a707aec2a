package author

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
)

// Measurement is what [Bench] reports about one hook.
type Measurement struct {
	Hook  abi.Hook  `json:"hook"`
	Calls int       `json:"calls"` // number of measured calls
	Time  Quantiles `json:"ns"`    // time of one call, in nanoseconds, including all that the host does for it
	Fuel  Quantiles `json:"fuel"`  // fuel of one call
	// Empty is the time of an empty hook in the same place, which gets the same input and returns 0 at once.
	Empty   Quantiles `json:"empty_ns"`
	Ratio   float64   `json:"ratio"`   // ratio of the two P50 times
	Input   int       `json:"input"`   // bytes of the document that the hook receives
	Reply   int       `json:"reply"`   // bytes of the last reply of next or host_call in one call
	Result  int       `json:"result"`  // bytes of the document that the hook writes
	Memory  int64     `json:"memory"`  // size of the largest instance, in bytes
	Leak    float64   `json:"leak"`    // bytes by which the memory grows in one call; 0: it does not keep growing
	Grown   int64     `json:"grown"`   // bytes by which the memory of an instance has grown
	Rise    float64   `json:"rise"`    // fuel of the last tenth of the calls, in multiples of that of the first; 0: too few calls
	Outcome string    `json:"outcome"` // outcome of the last call: nothing, result, error or interrupt
	Message string    `json:"message,omitempty"`

	Warnings []Warning `json:"warnings,omitempty"`
}

// Quantiles are the median and the slow end of many calls.
type Quantiles struct {
	P50 uint64 `json:"p50"`
	P99 uint64 `json:"p99"`
}

// Bench loads a plugin as an agent does, and repeatedly calls each hook of its Description, or only the given hooks, for
// the given time each. Every call happens in the same place of a run: the second round of an agent whose history has 20
// messages of 1 KB, and whose tool answers with 1 KB. before_agent and after_agent run at the ends of that run. Calls of
// the hook and of an empty one take turns, so that both see the same machine.
//
// An error is a [*plugin.Error] if the plugin is to blame, or says that ctx ended.
func Bench(ctx context.Context, w plugin.Wasm, each time.Duration, hooks ...abi.Hook) ([]Measurement, error) {
	subject, err := loadMeasured(ctx, w)
	if err != nil {
		return nil, err
	}
	defer subject.close()
	description := subject.plugin.Description()
	missing := func(h abi.Hook) bool { return description.Hooks.Spec(h) == nil }
	if len(hooks) == 0 {
		hooks = slices.DeleteFunc(abi.Hooks(), missing)
	} else if at := slices.IndexFunc(hooks, missing); at >= 0 {
		return nil, fmt.Errorf("the plugin has no hook %s with this configuration; its hooks are %v", hooks[at], slices.DeleteFunc(abi.Hooks(), missing))
	}
	idle := w
	idle.Path, idle.Bytes, idle.SHA256, idle.Minisign, idle.Config = "", emptyGuest(description), "", nil, nil
	empty, err := loadMeasured(ctx, idle)
	if err != nil {
		return nil, err
	}
	defer empty.close()
	var all []Measurement
	for _, name := range hooks {
		subject.reset()
		empty.reset()
		s := situation{
			name: w.Name(), stage: stageOf(w), hook: name, all: []*benchedPlugin{subject, empty},
			each: each, batch: benchBatch, least: 1, most: mostSamples,
		}
		if err := s.run(ctx); err != nil {
			return all, err
		}
		m := subject.measurement()
		m.Hook, m.Empty = name, quantiles(empty.times)
		m.Ratio = math.Round(10*float64(m.Time.P50)/float64(max(1, m.Empty.P50))) / 10
		all = append(all, m)
	}
	return all, nil
}

// benchedPlugin is a plugin whose calls are measured.
type benchedPlugin struct {
	plugin *plugin.Plugin
	hooks  *host.Hooks
	limit  int64 // of the memory of an instance, in bytes
	times  []uint64
	fuel   []uint64
	last   plugin.CallUsage // of the last call
	growth growth
	err    error // of the last call; not a fault
}

func loadMeasured(ctx context.Context, w plugin.Wasm) (*benchedPlugin, error) {
	p, err := w.Load(ctx, environment(w))
	if err != nil {
		return nil, err
	}
	hooks, err := p.Hooks()
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	m := &benchedPlugin{plugin: p, hooks: hooks, limit: cmp.Or(w.Limits.Memory, plugin.DefaultLimits.Memory)}
	m.reset()
	return m, nil
}

func (m *benchedPlugin) close() { _ = m.plugin.Close() } // it served only the measurement, so an error does not matter

func (m *benchedPlugin) reset() {
	*m = benchedPlugin{plugin: m.plugin, hooks: m.hooks, limit: m.limit, growth: growth{limit: m.limit}}
}

// time calls the hook and records how long that took and what it used. The error is a fault.
func (m *benchedPlugin) time(call func(*host.Hooks) error) error {
	before, _ := m.plugin.LastCall()
	start := time.Now()
	err := call(m.hooks)
	took := time.Since(start)
	if fault, ok := errors.AsType[*plugin.Error](err); ok {
		return fault
	}
	m.err = err
	m.times = append(m.times, uint64(took))
	last, ok := m.plugin.LastCall()
	if ok {
		m.growth.saw(last.Instance, last.Memory)
	}
	if ok && last.Instance == before.Instance { // otherwise it was replaced, and what it used is unknown
		m.fuel = append(m.fuel, last.Fuel)
		m.last = last
	}
	return nil
}

func (m *benchedPlugin) measurement() Measurement {
	warnings := m.warnings() // quantiles sorts
	risen, _, _ := rise(m.fuel)
	out := Measurement{
		Grown: m.growth.grown(), Rise: risen, Warnings: warnings,
		Calls: len(m.times), Time: quantiles(m.times), Fuel: quantiles(m.fuel), Input: m.last.Input, Reply: m.last.Reply, Result: m.last.Result,
		Memory: m.plugin.Usage().Memory, Leak: m.growth.leak(), Outcome: "nothing",
	}
	switch {
	case isInterrupt(m.err):
		out.Outcome = "interrupt"
	case m.err != nil:
		out.Outcome, out.Message = "error", clean(m.err.Error(), 300)
	case m.last.Result > 0:
		out.Outcome = "result"
	}
	return out
}

func isInterrupt(err error) bool {
	_, ok := errors.AsType[*host.InterruptError](err)
	return ok
}

func quantiles(samples []uint64) Quantiles {
	if len(samples) == 0 {
		return Quantiles{}
	}
	slices.Sort(samples)
	last := len(samples) - 1
	return Quantiles{P50: samples[last/2], P99: samples[last*99/100]}
}
