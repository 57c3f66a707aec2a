package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// mortal is a store of a process that dies: after so many writes nothing that it does has an effect. With torn the last
// one has one, but the process does not live to know.
type mortal struct {
	checkpoint.Store

	mu    sync.Mutex
	lives int
	torn  bool
}

var errDead = errors.New("the process has died")

func (m *mortal) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	session, err := m.Store.Open(ctx, thread)
	return &mortalSession{session, m}, err
}

// write performs a write if the process lives, and reports whether it lived to know.
func (m *mortal) write(do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lives--
	if m.lives < -1 || m.lives == -1 && !m.torn {
		return errDead
	}
	err := do()
	if m.lives == -1 {
		return errDead
	}
	return err
}

func (m *mortal) dead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lives < 0
}

type mortalSession struct {
	checkpoint.Session
	store *mortal
}

func (s *mortalSession) Save(ctx context.Context, c *checkpoint.Commit) (id checkpoint.ID, err error) {
	err = s.store.write(func() (err error) {
		id, err = s.Session.Save(ctx, c)
		return err
	})
	return id, err
}

func (s *mortalSession) Journal(ctx context.Context, e *checkpoint.Execution) error {
	return s.store.write(func() error { return s.Session.Journal(ctx, e) })
}

// crashing is an agent whose tools leave traces outside of it.
type crashing struct {
	*bundle

	store   checkpoint.Store
	mortal  *mortal
	sent    []string // by tools that must not run twice
	retried bool
	spared  int // executions that a person took for good, and that would have been retried
}

func newCrashing(t *testing.T) *crashing {
	t.Helper()
	return &crashing{store: memory.New()}
}

// start builds the agent of a new process.
func (c *crashing) start(t *testing.T, lives int, torn bool) *host.Agent {
	t.Helper()
	c.mortal = &mortal{Store: c.store, lives: lives, torn: torn}
	script := []scripted.Turn{calls("send", "look", "send", "flaky"), calls("send"), calls("ask"), scripted.Say("done")}
	c.bundle = setup(t)
	c.Checkpointer = c.mortal
	c.Model = byHistory(script)
	send := func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) { //nolint:unparam // it is a tool
		if !c.mortal.dead() {
			c.mu.Lock()
			c.sent = append(c.sent, call.Name+" "+rt.IdempotencyKey())
			c.mu.Unlock()
		}
		return host.TextOutput("sent"), nil
	}
	c.tool("send", send)
	c.tool("note", send)
	c.answering("look", "seen", tool.Idempotent())
	failed := false
	c.tool("flaky", func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		output, err := send(ctx, rt, call)
		if !failed && !c.retried {
			failed, c.retried = true, true
			return nil, errors.New("not yet")
		}
		return output, err
	})
	c.tool("ask", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		answer, err := rt.Interrupt("ok", wire.String("may I?"))
		if err != nil {
			return nil, err
		}
		text, _ := answer.AsString()
		return host.TextOutput(text), nil
	})
	c.ToolCalls.Parallel = 1
	retry := func(ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req)
		var failure *host.ToolError
		if errors.As(err, &failure) && strings.Contains(err.Error(), "not yet") {
			m, err = next(ctx, req)
		}
		return m, nil, err
	}
	c.use(host.WrapToolCall("retry", retry), host.BeforeModel("notes", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		m, err := rt.CallTool(ctx, "note", wire.Map(nil).Raw())
		if err != nil {
			return nil, err
		}
		return setting("notes", rt.State().Messages().Len(), "said", m.Content.Text()), nil
	}, host.WithFields(host.Field{Name: "notes", Lifetime: host.Run}, host.Field{Name: "said"})))
	return c.build()
}

// byHistory is a model that knows its turn from the history alone, as one in another process does.
func byHistory(script []scripted.Turn) *turnModel { return &turnModel{script: script} }

// finish goes on, process after process, until the run is over, and counts the questions about executions cut off.
func (c *crashing) finish(t *testing.T, kill func(process int) (lives int, torn bool)) (result *host.Result, asked int) {
	t.Helper()
	in := host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}}
	for process := range 50 {
		lives, torn := kill(process)
		agent := c.start(t, lives, torn)
		result, err := agent.Run(t.Context(), in)
		if errors.Is(err, host.ErrUnknownThread) { // it died before it was saved the first time
			in = host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}}
			continue
		}
		for err == nil && result.Status == host.Interrupted {
			var answers []host.Answer
			for _, q := range result.Interrupts {
				if q.Key == "ok" {
					answers = append(answers, host.Answer{Interrupt: q.ID, Value: "yes"})
					continue
				}
				asked++
				answers = append(answers, host.Answer{Interrupt: q.ID, Value: c.decide(t, q)})
			}
			result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: answers})
		}
		if err == nil {
			return result, asked
		}
		require.ErrorIs(t, err, errDead)
		in = host.Input{Thread: "t", Continue: true}
	}
	t.Fatal("the thread is stuck")
	return nil, 0
}

// decide answers as a person does who looks whether it was sent.
func (c *crashing) decide(t *testing.T, q host.Interrupt) any {
	t.Helper()
	var value wire.Map
	_, err := value.UnmarshalMsg(q.Value)
	require.NoError(t, err)
	name, _ := value.Get("name").AsString()
	key, _ := value.Get("idempotency_key").AsString()
	if slices.Contains(c.sent, name+" "+key) {
		if name == "flaky" {
			c.spared = 2
			for _, line := range c.sent {
				if strings.HasPrefix(line, name) {
					c.spared--
				}
			}
		}
		return map[string]any{"type": "respond", "message": "sent"}
	}
	return "retry"
}

// A process dies at each of its writes, before or behind it, and the next one again: nothing is lost, nothing is sent
// twice, and the history is that of a run that nothing disturbed.
func TestCrashes(t *testing.T) {
	t.Parallel()
	calm := newCrashing(t)
	want, asked := calm.finish(t, func(int) (int, bool) { return 1 << 30, false })
	require.Zero(t, asked)
	writes := 1<<30 - calm.mortal.lives
	require.Greater(t, writes, 15)
	require.Len(t, calm.sent, 4+1+1+2+1, "a note a round, three sent, and one that fails once")

	for first := range writes {
		for _, torn := range []bool{false, true} {
			for second := range 4 {
				t.Run(fmt.Sprint(first, torn, second), func(t *testing.T) {
					t.Parallel()
					c := newCrashing(t)
					result, _ := c.finish(t, func(process int) (int, bool) {
						switch {
						case process == 0:
							return first, torn
						case process == 1 && second > 0:
							return second - 1, torn
						default:
							return 1 << 30, false
						}
					})
					require.Equal(t, lines(want.Messages), lines(result.Messages))
					require.Equal(t, stateOf(want), stateOf(result))
					seen := slices.Sorted(slices.Values(c.sent))
					require.Equal(t, seen, slices.Compact(slices.Clone(seen)), "nothing is sent twice")
					require.Len(t, seen, len(calm.sent)-c.spared)
				})
			}
		}
	}
}
