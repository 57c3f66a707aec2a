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

	program func(c *crashing) []scripted.Turn // adds tools and hooks, and says what the model says
	store   checkpoint.Store
	mortal  *mortal
	sent    []string // by tools that must not run twice
	retried bool
	spared  int // executions that a person took for good, and that would have been retried
}

func newCrashing(t *testing.T, program func(c *crashing) []scripted.Turn) *crashing {
	t.Helper()
	return &crashing{program: program, store: memory.New()}
}

// start builds the agent of a new process.
func (c *crashing) start(t *testing.T, lives int, torn bool) *host.Agent {
	t.Helper()
	c.mortal = &mortal{Store: c.store, lives: lives, torn: torn}
	c.bundle = setup(t)
	c.Checkpointer = c.mortal
	c.ToolCalls.Parallel = 1
	c.tool("send", c.send)
	c.answering("look", "seen", tool.Idempotent())
	c.tool("ask", asking)
	c.Model = byHistory(c.program(c))
	return c.build()
}

// send is a tool that must not run twice.
func (c *crashing) send(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	if !c.mortal.dead() {
		c.mu.Lock()
		c.sent = append(c.sent, call.Name+" "+rt.IdempotencyKey())
		c.mu.Unlock()
	}
	return host.TextOutput("sent"), nil
}

// trying is a program whose tools are tried again, and one of whose hooks calls a tool.
func trying(c *crashing) []scripted.Turn {
	c.tool("note", c.send)
	failed := false
	c.tool("flaky", func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		output, err := c.send(ctx, rt, call)
		if !failed && !c.retried {
			failed, c.retried = true, true
			return nil, errors.New("not yet")
		}
		return output, err
	})
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
	}, host.WithFields(host.Field{Name: "notes", Lifetime: host.LifetimeRun}, host.Field{Name: "said"})))
	return []scripted.Turn{calls("send", "look", "send", "flaky"), calls("send"), calls("ask"), scripted.Say("done")}
}

// nesting is a program with questions inside of hooks, whose tool calls another one and runs twice for each call.
func nesting(c *crashing) []scripted.Turn {
	c.tool("outer", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		for range 2 {
			if _, err := rt.CallTool(ctx, "send", nil); err != nil {
				return nil, err
			}
		}
		return host.TextOutput("out"), nil
	}, tool.Idempotent())
	twice := func(ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
		_, err := rt.CallTool(ctx, "ask", nil)
		if err == nil {
			_, err = next(ctx, req)
		}
		if err != nil {
			return nil, nil, err
		}
		m, err := next(ctx, req)
		return m, nil, err
	}
	c.use(host.WrapToolCall("twice", twice, host.OnlyTools("outer")))
	return []scripted.Turn{calls("outer", "look", "send", "outer"), calls("outer"), scripted.Say("done")}
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
		for round := 0; err == nil && result.Status == host.Interrupted; round++ {
			require.Less(t, round, 50)
			var answers []host.Answer
			for i, q := range result.Interrupts {
				if i > 0 && round%2 == 0 {
					break // some now, others later
				}
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
	for name, test := range map[string]struct {
		program func(c *crashing) []scripted.Turn
		sent    int
	}{
		"trying":  {trying, 4 + 1 + 1 + 2 + 1}, // a note a round, three sent, and one that fails once
		"nesting": {nesting, 3*4 + 1},
	} {
		calm := newCrashing(t, test.program)
		want, asked := calm.finish(t, func(int) (int, bool) { return 1 << 30, false })
		require.Zero(t, asked)
		writes := 1<<30 - calm.mortal.lives
		require.Greater(t, writes, 15)
		require.Len(t, calm.sent, test.sent)

		for first := range writes {
			for _, torn := range []bool{false, true} {
				for second := range 6 {
					t.Run(fmt.Sprint(name, " ", first, torn, second), func(t *testing.T) {
						t.Parallel()
						c := newCrashing(t, test.program)
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
}
