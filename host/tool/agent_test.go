package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func agentOf(t *testing.T, config host.Config) *host.Agent {
	t.Helper()
	agent, err := host.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

// caller is an agent that calls another one as a tool, and then says that it is done.
func caller(t *testing.T, inner *host.Agent, threads checkpoint.Store) *host.Agent {
	t.Helper()
	research, err := tool.Agent("research", "Finds things out.", inner)
	require.NoError(t, err)
	return agentOf(t, host.Config{
		Checkpointer: threads, Tools: []host.Tool{research},
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "research", map[string]any{"prompt": "the sea"})), scripted.Say("done")),
	})
}

// asks is a tool that asks two persons, and counts how often it is performed.
func asks(performed *int) host.Tool {
	spec := abi.ToolSpec{Name: "ask", Description: "Asks."}
	return tool.Raw(spec, func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		var asked []abi.Interrupt
		said := ""
		for _, key := range []string{"a", "b"} {
			answer, err := rt.Interrupt(key, wire.String("question "+key))
			if interrupt, ok := errors.AsType[*host.InterruptError](err); ok {
				asked = append(asked, interrupt.Interrupts...)
			}
			text, _ := answer.AsString()
			said += text
		}
		if len(asked) > 0 {
			return nil, &host.InterruptError{Interrupts: asked}
		}
		*performed++
		return host.TextOutput(said), nil
	})
}

func TestAnAgentAnswersAsATool(t *testing.T) {
	t.Parallel()
	var seen []string
	inner := agentOf(t, host.Config{Model: scripted.NewTurns(scripted.Say("It is salty.")), Middleware: []host.Middleware{
		host.BeforeModel("see", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			for _, m := range rt.State().Messages().All() {
				seen = append(seen, m.Content.Text())
			}
			return nil, nil
		}),
	}})
	outer := caller(t, inner, nil)
	var told []string
	result, err := outer.RunEvents(t.Context(), host.Input{Messages: []abi.Message{abi.Human("Go.")}}, func(e host.Event) error {
		if e.Type == host.EventCustom {
			var data struct {
				Agent  string `json:"agent"`
				CallID string `json:"call_id"`
				Event  struct {
					Type string `json:"type"`
				} `json:"event"`
			}
			require.NoError(t, json.Unmarshal([]byte(e.Data.JSON()), &data))
			require.Equal(t, "agent", e.Name)
			require.Equal(t, "research", data.Agent)
			require.Equal(t, "1", data.CallID)
			told = append(told, data.Event.Type)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"the sea"}, seen, "the task alone")
	answer := result.Messages.At(2)
	require.Equal(t, "It is salty.", answer.Content.Text())
	require.Equal(t, 4, result.Messages.Len())
	require.Contains(t, told, "model")
	require.NotContains(t, told, "token")
}

func TestAnAgentAsAToolFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("out of order")
	inner := agentOf(t, host.Config{Model: scripted.NewTurns(scripted.Fail(broken)), Checkpointer: memory.New()})
	_, err := caller(t, inner, nil).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("Go.")}})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "agent research: ")
}

// What the inner agent asks is asked by the outer run, one answer after the other.
func TestAnAgentAsAToolAsksAPerson(t *testing.T) {
	t.Parallel()
	performed := 0
	threads := memory.New()
	inner := agentOf(t, host.Config{
		Checkpointer: threads, Tools: []host.Tool{asks(&performed)},
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("i", "ask", nil)), scripted.Say("They agree.")),
	})
	outer := caller(t, inner, threads)
	result, err := outer.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("Go.")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Len(t, result.Interrupts, 2)
	question, _ := result.Interrupts[1].Value.AsString()
	require.Equal(t, "question b", question)

	result, err = outer.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Interrupt: result.Interrupts[1].ID, Value: "yes"}}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Len(t, result.Interrupts, 1)

	result, err = outer.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: "oh "}}})
	require.NoError(t, err)
	require.Equal(t, "done", result.Text())
	answer := result.Messages.At(2)
	require.Equal(t, "They agree.", answer.Content.Text())
	require.Equal(t, 1, performed)
}

func TestAnAgentWithoutThreadsCannotAskAPerson(t *testing.T) {
	t.Parallel()
	performed := 0
	inner := agentOf(t, host.Config{
		Tools: []host.Tool{asks(&performed)}, Model: scripted.NewTurns(scripted.CallTools(abi.Call("i", "ask", nil))),
	})
	_, err := caller(t, inner, memory.New()).Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("Go.")}})
	require.ErrorContains(t, err, "agent research: it asks a person a question, but keeps no threads")
}

// A run without a thread leaves none of the inner agent, and tells what that asks although nobody can answer.
func TestAnAgentAsAToolInARunWithoutAThread(t *testing.T) {
	t.Parallel()
	performed := 0
	threads := memory.New()
	inner := agentOf(t, host.Config{
		Checkpointer: threads, Tools: []host.Tool{asks(&performed)}, Model: scripted.NewTurns(scripted.CallTools(abi.Call("i", "ask", nil))),
	})
	result, err := caller(t, inner, nil).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("Go.")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Len(t, result.Interrupts, 2)
	kept, err := threads.Find(t.Context(), checkpoint.Query{})
	require.NoError(t, err)
	require.Empty(t, kept)
}

// What the inner agent uses counts once as the caller's, however often it goes on.
func TestWhatAnAgentAsAToolUses(t *testing.T) {
	t.Parallel()
	performed := 0
	threads := memory.New()
	inner := agentOf(t, host.Config{
		Checkpointer: threads, Tools: []host.Tool{asks(&performed)},
		Model: modelFunc(func(_ context.Context, req *model.Request) (*model.Response, error) {
			m := abi.AI("ok")
			if req.Messages.Len() == 1 {
				m.ToolCalls = []abi.ToolCall{abi.Call("i", "ask", nil)}
			}
			m.Usage = &abi.Usage{InputTokens: 5}
			return model.Reply(m), nil
		}),
	})
	outer := caller(t, inner, threads)
	result, err := outer.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("Go.")}})
	require.NoError(t, err)
	require.Zero(t, result.Usage, "it has not ended")
	for i := range result.Interrupts {
		after, err := outer.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Interrupt: result.Interrupts[i].ID, Value: "yes"}}})
		require.NoError(t, err)
		if i == 1 {
			require.Equal(t, host.Completed, after.Status)
			require.Equal(t, abi.Usage{InputTokens: 10}, after.Usage)
		}
	}
}

// It counts too where the agent has answered just before the run was cancelled: its answer is kept.
func TestWhatAnAgentAsAToolUsesAtACancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	threads := memory.New()
	inner := agentOf(t, host.Config{Checkpointer: threads, Model: modelFunc(func(context.Context, *model.Request) (*model.Response, error) {
		cancel()
		m := abi.AI("ok")
		m.Usage = &abi.Usage{InputTokens: 5}
		return model.Reply(m), nil
	})})
	outer := caller(t, inner, threads)
	_, err := outer.Run(ctx, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("Go.")}})
	require.ErrorIs(t, err, context.Canceled)
	result, err := outer.Run(t.Context(), host.Input{Thread: "t", Continue: true})
	require.NoError(t, err)
	answer := result.Messages.At(2)
	require.Equal(t, "ok", answer.Content.Text())
	require.Equal(t, abi.Usage{InputTokens: 5}, result.Usage)
}

// It counts too where the tool had no more time, and nothing goes on.
func TestWhatAnAgentAsAToolUsesWithoutTime(t *testing.T) {
	t.Parallel()
	for _, thread := range []string{"", "t"} {
		synctest.Test(t, func(t *testing.T) {
			threads := memory.New()
			inner := agentOf(t, host.Config{Checkpointer: threads, Model: modelFunc(
				func(ctx context.Context, req *model.Request) (*model.Response, error) {
					if req.Messages.Len() > 1 {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					m := abi.AI("", abi.Call("i", "nothing", nil))
					m.Usage = &abi.Usage{InputTokens: 5}
					return model.Reply(m), nil
				}), Tools: []host.Tool{tool.Func("nothing", "", func(context.Context, struct{}) (string, error) { return "", nil })}})
			research, err := tool.Agent("research", "", inner)
			require.NoError(t, err)
			outer := agentOf(t, host.Config{
				Checkpointer: threads, Tools: []host.Tool{research}, ToolCalls: host.ToolCallConfig{ToolTimeout: time.Minute},
				Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "research", map[string]any{"prompt": "x"})), scripted.Say("done")),
			})
			result, err := outer.Run(t.Context(), host.Input{Thread: thread, Messages: []abi.Message{abi.Human("Go.")}})
			require.NoError(t, err)
			answer := result.Messages.At(2)
			require.Equal(t, "Error: tool 'research' timed out after 1m0s.", answer.Content.Text())
			require.Equal(t, abi.Usage{InputTokens: 5}, result.Usage)
		})
	}
}

func TestAnAgentAtABreakpointIsAnError(t *testing.T) {
	t.Parallel()
	inner := agentOf(t, host.Config{
		Model: scripted.NewTurns(scripted.Say("x")), InterruptBefore: []string{"model"}, Checkpointer: memory.New(),
	})
	_, err := caller(t, inner, nil).Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("Go.")}})
	require.ErrorContains(t, err, "agent research: it stopped at a breakpoint before model")
}

// A run that was cancelled in the middle of the inner agent goes on where that was.
func TestAnAgentAsAToolGoesOn(t *testing.T) {
	t.Parallel()
	for _, threads := range []bool{true, false} {
		store, did := memory.New(), 0
		config := host.Config{Tools: []host.Tool{tool.Func("act", "", func(context.Context, struct{}) (string, error) {
			did++
			return "acted", nil
		})}}
		if threads {
			config.Checkpointer = store
		}
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		called := 0
		config.Model = modelFunc(func(ctx context.Context, req *model.Request) (*model.Response, error) {
			called++
			switch {
			case req.Messages.Len() == 1:
				return model.Reply(abi.AI("", abi.Call("i", "act", nil))), nil
			case called == 2:
				cancel()
				return nil, ctx.Err()
			default:
				return model.Reply(abi.AI("It is done.")), nil
			}
		})
		inner := agentOf(t, config)
		outer := caller(t, inner, store)
		_, err := outer.Run(ctx, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("Go.")}})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 1, did)

		result, err := outer.Run(t.Context(), host.Input{Thread: "t", Continue: true})
		require.NoError(t, err)
		if !threads { // it may have acted: a person is asked
			require.Equal(t, host.Interrupted, result.Status)
			require.Equal(t, 1, did)
			continue
		}
		answer := result.Messages.At(2)
		require.Equal(t, "It is done.", answer.Content.Text())
		require.Equal(t, 1, did, "it has acted once")
		require.Equal(t, 3, called)
	}
}

// leased is a store in which a process that died has left leases of threads, apart from "t".
type leased struct {
	checkpoint.Store

	until time.Time
	alive bool // it renews them
}

func (l *leased) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	if thread != "t" && time.Now().Before(l.until) {
		busy := &checkpoint.BusyError{Holder: "another", Until: l.until}
		if l.alive {
			l.until = l.until.Add(time.Hour)
		}
		return nil, busy
	}
	return l.Store.Open(ctx, thread)
}

// The lease of the inner agent's thread may end after that of the caller's. It is waited for: otherwise all that the inner agent has
// done would be done again.
func TestAnAgentAsAToolWaitsForALease(t *testing.T) {
	t.Parallel()
	for _, alive := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			store, did := &leased{Store: memory.New(), alive: alive}, 0
			ctx, cancel := context.WithCancel(t.Context())
			inner := agentOf(t, host.Config{
				Checkpointer: store,
				Tools: []host.Tool{tool.Func("act", "", func(context.Context, struct{}) (string, error) {
					did++
					return "acted", nil
				})},
				Model: modelFunc(func(_ context.Context, req *model.Request) (*model.Response, error) {
					if req.Messages.Len() == 1 {
						return model.Reply(abi.AI("", abi.Call("i", "act", nil))), nil
					}
					if ctx.Err() == nil {
						cancel()
						return nil, context.Canceled
					}
					return model.Reply(abi.AI("It is done.")), nil
				}),
			})
			outer := caller(t, inner, store)
			_, err := outer.Run(ctx, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("Go.")}})
			require.ErrorIs(t, err, context.Canceled)
			store.until = time.Now().Add(5 * time.Second)

			result, err := outer.Run(t.Context(), host.Input{Thread: "t", Continue: true})
			require.Equal(t, 1, did, "it has acted once")
			if alive {
				require.ErrorIs(t, err, checkpoint.ErrBusy)
				return
			}
			require.NoError(t, err)
			answer := result.Messages.At(2)
			require.Equal(t, "It is done.", answer.Content.Text())
		})
	}
}

type modelFunc func(ctx context.Context, req *model.Request) (*model.Response, error)

func (modelFunc) Info() model.Info { return model.Info{Name: "m"} }

func (f modelFunc) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	return f(ctx, req)
}
