package builtin_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
)

// writer is a model that mails to whom its task names, and then says what it was answered.
func writer() speaker {
	return func(_ context.Context, req *model.Request) (abi.Message, error) {
		last := req.Messages.At(req.Messages.Len() - 1)
		if last.Role == abi.RoleHuman {
			return abi.AI("", abi.Call("m", "mail", receiver(last.Content.Text()))), nil
		}
		return abi.AI("Result: " + last.Content.Text()), nil
	}
}

// mailing is an agent whose subagent "writer" mails to Ann and Bob, inside of these middleware and with those.
func mailing(
	t *testing.T, threads checkpoint.Store, sent *atomic.Int32, around []host.Middleware, change func(writer *builtin.Subagent),
) *host.Agent {
	t.Helper()
	type arguments struct {
		To string `json:"to"`
	}
	mail := tool.Func("mail", "Mails.", func(_ context.Context, in arguments) (string, error) {
		sent.Add(1)
		return "mailed to " + in.To, nil
	})
	sub := builtin.Subagent{Name: "writer", Description: "Writes.", Model: "writer"}
	if change != nil {
		change(&sub)
	}
	agent, err := host.New(host.Config{
		Model:        boss(task("1", "writer", "Ann"), task("2", "writer", "Bob"), task("3", "idle", "x")),
		Models:       map[string]model.Model{"writer": writer(), "says": alwaysSay("idle")},
		Checkpointer: threads, Tools: []host.Tool{mail},
		Middleware: append(around, builtin.Subagents{
			Agents: []builtin.Subagent{sub, {Name: "idle", Description: "Rests.", Model: "says"}}, GeneralPurpose: new(false),
		}),
	})
	require.NoError(t, err)
	return agent
}

func threadsOf(t *testing.T, store checkpoint.Store) []string {
	t.Helper()
	var names []string
	for info, err := range checkpoint.AllThreads(t.Context(), store, checkpoint.Query{}) {
		require.NoError(t, err)
		names = append(names, info.Thread)
	}
	return names
}

var approvedAlone = builtin.Decisions{Decisions: []builtin.Decision{{Type: builtin.Approve}}}

// Two subagents that run at once each have a review that the agent has; each gets its own answer, one run after the other, as if
// each were another process.
func TestSubagentsAskAPerson(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) checkpoint.Store{
		"memory": func(*testing.T) checkpoint.Store { return memory.New() },
		"sqlite": func(t *testing.T) checkpoint.Store {
			t.Helper()
			store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "threads.db"), sqlite.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, store.Close()) })
			return store
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int32
			store := open(t)
			run := func(in host.Input) *host.Result {
				agent := mailing(t, store, &sent, []host.Middleware{reviewing("mail")}, nil)
				defer func() { require.NoError(t, agent.Close()) }()
				in.Thread = "t"
				result, err := agent.Run(t.Context(), in)
				require.NoError(t, err)
				return result
			}
			result := run(start("go"))
			require.Equal(t, host.Interrupted, result.Status)
			require.Len(t, result.Interrupts, 2)
			require.Zero(t, sent.Load())
			require.Len(t, threadsOf(t, store), 4, "one for each task")
			for i, who := range []string{"Ann", "Bob"} {
				require.Contains(t, result.Interrupts[i].Value.JSON(), who)
			}

			rejected := builtin.Decisions{Decisions: []builtin.Decision{{Type: builtin.Reject, Message: "no"}}}
			result = run(host.Input{Resume: []host.Answer{{Interrupt: result.Interrupts[1].ID, Value: rejected}}})
			require.Equal(t, host.Interrupted, result.Status)
			require.Len(t, result.Interrupts, 1)
			require.Contains(t, result.Interrupts[0].Value.JSON(), "Ann")

			result = run(host.Input{Resume: []host.Answer{{Value: approvedAlone}}})
			require.Equal(t, host.Completed, result.Status)
			require.Equal(t, []string{
				"human go", "ai task:1 task:2 task:3", "tool 1 Result: mailed to Ann",
				"tool 2 Result: User rejected the tool call for `mail` with reason: no", "tool 3 idle", "ai done",
			}, lines(result.Messages))
			require.EqualValues(t, 1, sent.Load())
			require.Equal(t, abi.Usage{InputTokens: 7}, result.Usage, "each call of a model is counted once")
		})
	}
}

// The threads of tasks end with the run, also when it is given up.
func TestThreadsOfTasksEndWithTheRun(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]host.Input{
		"completed": {Resume: []host.Answer{{Interrupt: "0", Value: approvedAlone}, {Interrupt: "1", Value: approvedAlone}}},
		"given up":  {Messages: []abi.Message{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := memory.New()
			var sent atomic.Int32
			agent := mailing(t, store, &sent, []host.Middleware{reviewing("mail")}, nil)
			t.Cleanup(func() { require.NoError(t, agent.Close()) })
			in := start("go")
			in.Thread = "t"
			result, err := agent.Run(t.Context(), in)
			require.NoError(t, err)
			threads := threadsOf(t, store)
			require.Len(t, threads, 4)
			require.Regexp(t, `^idle-[0-9a-f]{32} t writer-[0-9a-f]{32} writer-[0-9a-f]{32}$`, strings.Join(threads, " "))
			end.Thread = "t"
			for i := range end.Resume {
				end.Resume[i].Interrupt = result.Interrupts[i].ID
			}
			_, err = agent.Run(t.Context(), end)
			require.NoError(t, err)
			require.Equal(t, []string{"t"}, threadsOf(t, store))
		})
	}
}

// A run without a thread cannot go on; it tells what is asked all the same.
func TestSubagentsAskInARunWithoutAThread(t *testing.T) {
	t.Parallel()
	store := memory.New()
	var sent atomic.Int32
	agent := mailing(t, store, &sent, []host.Middleware{reviewing("mail")}, nil)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	result, err := agent.Run(t.Context(), start("go"))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Len(t, result.Interrupts, 2)
	require.Empty(t, threadsOf(t, store))
	require.Equal(t, abi.Usage{InputTokens: 4}, result.Usage)
}

func TestReviewsOfSubagents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		around []host.Middleware
		change func(writer *builtin.Subagent)
		asked  int
	}{
		"inherited":                    {[]host.Middleware{reviewing("mail")}, nil, 2},
		"inherited pointer":            {[]host.Middleware{new(reviewing("mail"))}, nil, 2},
		"inherited from behind a name": {[]host.Middleware{named{reviewing("mail")}}, nil, 2},
		"none to inherit":              {nil, nil, 0},
		"none wanted": {
			[]host.Middleware{reviewing("mail")}, func(s *builtin.Subagent) { s.InterruptOn = map[string]builtin.ReviewPolicy{} }, 0,
		},
		"others wanted": {
			[]host.Middleware{reviewing("mail")}, func(s *builtin.Subagent) {
				policy := builtin.AnyDecision()
				policy.When = &builtin.ArgCondition{Arg: "to", Equals: "Bob"}
				s.InterruptOn = map[string]builtin.ReviewPolicy{"mail": policy}
			}, 1,
		},
		"its own": {
			[]host.Middleware{reviewing("mail")},
			func(s *builtin.Subagent) {
				policy := builtin.AnyDecision()
				policy.Optional = true // the subagent does not have the tool
				s.Middleware = []host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"search": policy}}}
			}, 0,
		},
		"for each call": {[]host.Middleware{alone("mail")}, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int32
			agent := mailing(t, nil, &sent, test.around, test.change)
			t.Cleanup(func() { require.NoError(t, agent.Close()) })
			result, err := agent.Run(t.Context(), start("go"))
			require.NoError(t, err)
			require.Len(t, result.Interrupts, test.asked)
			require.EqualValues(t, 2-test.asked, sent.Load())
		})
	}
}

// named is a middleware behind another name, as a manifest has it.
type named struct{ host.Middleware }

func (named) Name() string { return "review" }

func (n named) Unwrap() host.Middleware { return n.Middleware }

// The task itself may need a review, and limits count it as any tool.
func TestTasksInsideOfOtherMiddleware(t *testing.T) {
	t.Parallel()
	var sent atomic.Int32
	agent := mailing(t, memory.New(), &sent, []host.Middleware{
		reviewing("task"),
		builtin.ToolCallLimit{ToolName: "task", RunLimit: new(2)},
		builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{message}"}},
	}, nil)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	in := start("go")
	in.Thread = "t"
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, result.Interrupts, 1)
	edited := task("2", "idle", "rest")
	var args map[string]any
	require.NoError(t, host.Decode(edited.Args, &args))
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: builtin.Decisions{Decisions: []builtin.Decision{
		{Type: builtin.Approve}, edit("task", args),
	}}}}})
	require.NoError(t, err)
	got := lines(result.Messages)
	require.Contains(t, got, "tool 1 Result: mailed to Ann")
	require.Contains(t, strings.Join(got, "\n"), "idle")
	require.EqualValues(t, 1, sent.Load())
	require.Contains(t, strings.Join(got, "\n"), "tool 3! Tool call limit exceeded. Do not call 'task' again.")
}

// Questions from two levels down get their answers there.
func TestSubagentsOfSubagentsAskAPerson(t *testing.T) {
	t.Parallel()
	store := memory.New()
	did := 0
	ask := tool.Func("act", "", func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := host.RuntimeOf(ctx).Interrupt("may", wire.String("May I?"))
		if err != nil {
			return "", err
		}
		did++
		text, _ := answer.AsString()
		return text, nil
	})
	acts := speaker(func(_ context.Context, req *model.Request) (abi.Message, error) {
		if last := req.Messages.At(req.Messages.Len() - 1); last.Role == abi.RoleTool {
			return abi.AI("They say " + last.Content.Text()), nil
		}
		return abi.AI("", abi.Call("a", "act", nil)), nil
	})
	leaf := builtin.Subagents{
		Agents: []builtin.Subagent{{Name: "leaf", Description: "Acts.", Model: "acts"}}, GeneralPurpose: new(false),
	}
	agent := team(t, host.Config{
		Model: boss(task("1", "branch", "act")), Checkpointer: store, Tools: []host.Tool{ask},
		Models: map[string]model.Model{"acts": acts, "branch": speaker(func(_ context.Context, req *model.Request) (abi.Message, error) {
			if last := req.Messages.At(req.Messages.Len() - 1); last.Role == abi.RoleTool {
				return abi.AI("I heard: " + last.Content.Text()), nil
			}
			return abi.AI("", task("i", "leaf", "act")), nil
		})},
	}, builtin.Subagent{Name: "branch", Description: "Asks.", Model: "branch", Middleware: []host.Middleware{leaf}})
	in := start("go")
	in.Thread = "t"
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, result.Interrupts, 1)
	require.Len(t, threadsOf(t, store), 3)
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: "yes"}}})
	require.NoError(t, err)
	require.Equal(t, []string{"human go", "ai task:1", "tool 1 I heard: They say yes", "ai done"}, lines(result.Messages))
	require.Equal(t, 1, did)
	require.Equal(t, []string{"t"}, threadsOf(t, store))
	require.Equal(t, abi.Usage{InputTokens: 6}, result.Usage)

	again, err := agent.Run(t.Context(), host.Input{Thread: "u", Messages: in.Messages})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, again.Status)
	require.Len(t, threadsOf(t, store), 4)
	_, err = agent.Run(t.Context(), host.Input{Thread: "u", Messages: []abi.Message{}})
	require.NoError(t, err)
	require.Equal(t, []string{"t", "u"}, threadsOf(t, store), "of a run that is given up no level leaves any")
}

// What was cut off in the middle of a subagent goes on there: what it did is not done again.
func TestTasksThatWereCutOffGoOn(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 2} {
		t.Run(fmt.Sprint(times, " tasks"), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			t.Cleanup(cancel)
			store := memory.New()
			var did, called atomic.Int32
			act := tool.Func("act", "", func(context.Context, struct{}) (string, error) {
				did.Add(1)
				return "acted", nil
			})
			acts := speaker(func(ctx context.Context, req *model.Request) (abi.Message, error) {
				switch {
				case req.Messages.Len() == 1:
					return abi.AI("", abi.Call("a", "act", nil)), nil
				case called.Add(1) <= int32(times):
					if called.Load() == int32(times) {
						cancel()
					}
					<-ctx.Done()
					return abi.Message{}, ctx.Err()
				default:
					return abi.AI("ready"), nil
				}
			})
			agent := team(t, host.Config{
				Model: boss([]abi.ToolCall{task("1", "w", "x"), task("2", "w", "x")}[:times]...), Checkpointer: store,
				Tools: []host.Tool{act}, Models: map[string]model.Model{"acts": acts},
			}, builtin.Subagent{Name: "w", Description: "Works.", Model: "acts"})
			in := start("go")
			in.Thread = "t"
			_, err := agent.Run(ctx, in)
			require.ErrorIs(t, err, context.Canceled)
			require.EqualValues(t, times, did.Load())
			result, err := agent.Run(t.Context(), host.Input{Thread: "t", Continue: true})
			require.NoError(t, err)
			require.Equal(t, "tool 1 ready", lines(result.Messages)[2])
			require.EqualValues(t, times, did.Load(), "each has acted once")
			require.Equal(t, []string{"t"}, threadsOf(t, store))
			require.EqualValues(t, 2+2*times, result.Usage.InputTokens, "answers that were given, once")
		})
	}
}
