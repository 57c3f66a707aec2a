package temporal_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/engine/temporal"
	"github.com/agenthost/agenthost/host"
	threads "github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/postgres"
)

// place is where the processes of a fleet meet.
type place struct {
	Database string        `json:"database"`
	Temporal string        `json:"temporal"`
	Queue    string        `json:"queue"`
	Ledger   string        `json:"ledger"`
	Lease    time.Duration `json:"lease"`
	Engine   string        `json:"engine"` // "process": workers find runs themselves; otherwise Temporal directs them
}

// processVariable holds the place as JSON in the environment of a worker.
const processVariable = "AGENTHOST_TEST_WORKER"

// opened is a place that is open in a process.
type opened struct {
	threads *threads.Store
	runs    *postgres.Store
	agents  map[string]runs.Agent
	config  temporal.Config
	close   []func()
}

func (o *opened) Close() {
	for _, end := range slices.Backward(o.close) {
		end()
	}
}

func (p place) open(ctx context.Context) (_ *opened, err error) {
	o := &opened{}
	defer func() {
		if err != nil {
			o.Close()
		}
	}()
	if o.threads, err = threads.Open(ctx, p.Database, threads.Options{Lease: p.Lease}); err != nil {
		return nil, err
	}
	o.close = append(o.close, func() { _ = o.threads.Close() })
	if o.runs, err = postgres.Open(ctx, o.threads, postgres.Options{}); err != nil {
		return nil, err
	}
	o.close = append(o.close, func() { _ = o.runs.Close() })
	agent, err := host.New(host.Config{
		Name: "helper", Model: planned{}, Checkpointer: o.threads, Durability: host.DurabilityStep,
		Tools: []host.Tool{
			tool.Func("work", "Has an effect.", p.effect), tool.Func("again", "Has an effect that may happen twice.", p.effect, tool.Idempotent()),
			tool.Func("none", "Does nothing.", func(context.Context, step) (string, error) { return "ok", nil }),
			tool.Func("ask", "Asks a person.", func(ctx context.Context, _ step) (string, error) {
				answer, err := host.RuntimeOf(ctx).Interrupt("ok", wire.String("may I?"))
				if err != nil {
					return "", err
				}
				return answer.JSON(), nil
			}),
		},
	})
	if err != nil {
		return nil, err
	}
	o.close = append(o.close, func() { _ = agent.Close() })
	o.agents = map[string]runs.Agent{"helper": {Agent: agent, Name: "helper", Threads: o.threads}}
	c, err := temporal.Dial(ctx, temporal.Server{Address: p.Temporal})
	if err != nil {
		return nil, err
	}
	o.close = append(o.close, c.Close)
	o.config = temporal.Config{Client: c, Queue: p.Queue}
	return o, nil
}

// step is one call of a tool that a plan wants, and its arguments.
type step struct {
	Tool string `json:"tool"`
	MS   int    `json:"ms"`
}

// planned is a model that calls the tools of the JSON in the last message of a person, one after the other. It has no state, so any process can go on.
type planned struct{}

func (planned) Info() model.Info { return model.Info{Provider: "test", Name: "planned"} }

func (planned) Generate(_ context.Context, r *model.Request) (*model.Response, error) {
	var plan []step
	done := 0
	for i := r.Messages.Len() - 1; i >= 0; i-- {
		m := r.Messages.At(i)
		if m.Role == abi.RoleTool {
			done++
		}
		if m.Role == abi.RoleHuman {
			if err := json.Unmarshal([]byte(m.Content.Text()), &plan); err != nil {
				return nil, err
			}
			break
		}
	}
	if done >= len(plan) {
		return model.Reply(abi.AI("done")), nil
	}
	s := plan[done]
	return model.Reply(abi.AI("", abi.Call(fmt.Sprint("call-", done), s.Tool, map[string]any{"tool": s.Tool, "ms": s.MS}))), nil
}

// effect has an effect, which the ledger notes, and takes some time.
func (p place) effect(ctx context.Context, s step) (string, error) {
	rt := host.RuntimeOf(ctx)
	id, err := p.note(ctx, url.Values{
		"key": {rt.IdempotencyKey()}, "tool": {s.Tool}, "thread": {strings.TrimPrefix(rt.ThreadID(), "ann/")}, "pid": {strconv.Itoa(os.Getpid())},
	})
	if err != nil {
		return "", err
	}
	select {
	case <-time.After(time.Duration(s.MS) * time.Millisecond):
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	_, err = p.note(ctx, url.Values{"ends": {id}})
	return "ok", err
}

func (p place) note(ctx context.Context, q url.Values) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Ledger+"?"+q.Encode(), http.NoBody)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// work is the main function of a worker's process.
func work(text string) error {
	var p place
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	o, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	var w interface{ Close(ctx context.Context) }
	config := engine.Config{Store: o.runs, Agents: o.agents, Lease: p.Lease}
	if p.Engine == "process" {
		w, err = engine.Start(config)
	} else {
		w, err = temporal.StartWorker(ctx, o.config, config)
	}
	if err != nil {
		return err
	}
	fmt.Println("ready")
	<-ctx.Done()
	drain, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	w.Close(drain)
	return nil
}

// process is a worker's process.
type process struct {
	*exec.Cmd

	gone chan struct{}
}

// spawn starts a worker in a process of its own, which is killed when the test ends.
func (p place) spawn(t *testing.T) *process {
	t.Helper()
	text, err := json.Marshal(p)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	w := &process{Cmd: exec.CommandContext(context.WithoutCancel(t.Context()), self), gone: make(chan struct{})}
	w.Env, w.Stderr = append(os.Environ(), processVariable+"="+string(text)), os.Stderr
	out, err := w.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, w.Start())
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	go func() {
		defer close(w.gone)
		_, _ = io.Copy(io.Discard, lines)
		_ = w.Wait()
	}()
	t.Cleanup(w.kill)
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return w
}

// kill kills the process, as a machine does that loses its power.
func (w *process) kill() {
	_ = w.Process.Kill()
	<-w.gone
}

func (w *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	require.NoError(t, w.Process.Signal(s))
}
