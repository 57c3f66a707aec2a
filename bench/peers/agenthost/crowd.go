package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/bench/peer"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
)

const (
	runs        = 1000
	crowdRounds = 10
	wait        = 20 * time.Millisecond // of the model
)

// slow is a model for many runs at once: it takes its time, and follows from the history what it says. It notes how long
// each run took from one call to the next.
type slow struct {
	mutex sync.Mutex
	ended map[string]time.Time // its last call, by run
	steps []time.Duration
	held  *held // holds each run in its last call; nil: none
}

type runID struct{}

func (*slow) Info() model.Info { return model.Info{Name: "slow"} }

func (m *slow) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	id, _ := ctx.Value(runID{}).(string)
	m.mutex.Lock()
	if ended, ok := m.ended[id]; ok {
		m.steps = append(m.steps, time.Since(ended))
	}
	m.mutex.Unlock()
	time.Sleep(wait)
	defer func() {
		m.mutex.Lock()
		m.ended[id] = time.Now()
		m.mutex.Unlock()
	}()
	done := req.Messages.Len() / 2
	if done == crowdRounds {
		if m.held != nil {
			m.held.wait()
		}
		return model.Reply(abi.AI("done")), nil
	}
	return model.Reply(abi.AI("", abi.Call(strconv.Itoa(done), "search", map[string]any{"q": "x"}))), nil
}

// p99 returns what 99 of 100 steps took at most since it was asked last, in nanoseconds.
func (m *slow) p99() float64 {
	slices.Sort(m.steps)
	out := m.steps[len(m.steps)*99/100]
	m.ended, m.steps = map[string]time.Time{}, nil
	return float64(out.Nanoseconds())
}

// crowd performs all runs at once, with three plugins or three native middlewares.
func crowd(name string, _ float64) (*peer.Result, error) {
	engine, err := plugin.NewEngine(plugin.EngineConfig{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = engine.Close() }()
	m := &slow{ended: map[string]time.Time{}}
	var executions atomic.Int64
	config, err := crowdConfig(name, m, engine, &executions)
	if err != nil {
		return nil, err
	}
	agent, err := host.New(config)
	if err != nil {
		return nil, err
	}
	defer func() { _ = agent.Close() }()
	if _, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("hi")}}); err != nil {
		return nil, err
	}
	executions.Store(0)
	m.steps = nil
	debug.FreeOSMemory()
	before, err := resident("VmRSS")
	if err != nil {
		return nil, err
	}
	// The peak begins anew here.
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return nil, err
	}
	took, last, err := everyRun(agent, 0)
	if err != nil {
		return nil, err
	}
	peak, err := resident("VmHWM")
	if err != nil {
		return nil, err
	}
	done, full := executions.Load(), m.p99()
	if _, _, err := everyRun(agent, 2*took/runs); err != nil { // half as many a second
		return nil, err
	}
	half := m.p99()
	live, err := liveBytes(agent, m)
	if err != nil {
		return nil, err
	}
	return &peer.Result{
		NS: float64(took.Nanoseconds()) / (runs * crowdRounds), Check: fmt.Sprintf("runs=%d rounds=%d last=%s", runs, done, last),
		Extra: map[string]float64{
			"p99_step_ns":       full,
			"p99_step_half_ns":  half,
			"bytes_per_run":     (peak - before) / runs,
			"live_per_run":      live / runs,
			"rounds_per_second": runs * crowdRounds / took.Seconds(),
		},
	}, nil
}

// crowdConfig is the agent of the crowd: its model, a tool that counts its executions, and the three middlewares of the case.
func crowdConfig(name string, m *slow, engine *plugin.Engine, executions *atomic.Int64) (host.Config, error) {
	config := host.Config{Model: m, Tools: []host.Tool{tool.Func("search", "Searches.", func(context.Context, query) (string, error) {
		executions.Add(1)
		return "result", nil
	})}}
	for _, id := range []string{"redact", "guard", "loopguard"} {
		switch name {
		case "plugins:crowd":
			path := filepath.Join("..", "..", "..", "plugins", id, id+".wasm")
			config.Middleware = append(config.Middleware, plugin.Wasm{Path: path, Engine: engine})
		case "native:crowd":
			config.Middleware = append(config.Middleware, nothing(id))
		default:
			return host.Config{}, peer.AbsentError("it has no case " + name)
		}
	}
	return config, nil
}

// everyRun performs all of them, one more after each interval, and returns how long it took and what all of them said in the end.
func everyRun(agent *host.Agent, interval time.Duration) (time.Duration, string, error) {
	var group sync.WaitGroup
	texts := make([]string, runs)
	failed := make([]error, runs)
	start := time.Now()
	for i := range runs {
		time.Sleep(time.Until(start.Add(time.Duration(i) * interval)))
		group.Go(func() {
			result, err := oneRun(agent, i)
			texts[i], failed[i] = result.Text(), err
		})
	}
	group.Wait()
	took := time.Since(start)
	for i, err := range failed {
		if err != nil {
			return 0, "", err
		}
		if texts[i] != texts[0] {
			return 0, "", fmt.Errorf("a run said %q, and another %q", texts[i], texts[0])
		}
	}
	return took, texts[0], nil
}

func oneRun(agent *host.Agent, i int) (*host.Result, error) {
	ctx := context.WithValue(context.Background(), runID{}, strconv.Itoa(i))
	return agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
}

// resident is a line of this process's status, in bytes.
func resident(key string) (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), key+":")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseFloat(kilobytes, 64)
	return n * 1024, err
}
