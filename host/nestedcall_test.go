package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

var args = wire.Map{{Key: "q", Value: wire.String("x")}}.Raw()

// calling is a node hook that calls a tool and notes the answer.
func (b *bundle) calling(tool string, args wire.Raw) host.NodeFunc {
	return func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		answer, err := rt.CallTool(ctx, tool, args)
		if err != nil {
			b.notef("error: %v", err)
			return nil, err
		}
		b.notef("%s: %s %s", answer.Name, answer.Status, answer.Content.Text())
		return nil, nil
	}
}

func TestAHookCallsATool(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.Tools = append(b.Tools, searching())
	wrap := func(ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
		b.notef("%s nested %t", rt.Step(), rt.Nested())
		m, err := next(ctx, req)
		return m, nil, err
	}
	b.use(host.WrapToolCall("all", wrap), host.BeforeModel("x", b.calling("search", args)))
	result := b.mustRun()
	require.Equal(t, []string{"all.wrap_tool_call nested true", "search: success found x"}, b.log)
	require.Equal(t, []string{"human: hi", "ai: done"}, lines(result.Messages), "it is not in the history")
}

// What the model would be told of a call that it got wrong is the answer.
func TestANestedCallWithWrongArguments(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.Tools = append(b.Tools, searching())
	b.use(host.BeforeModel("x", b.calling("search", nil)))
	b.mustRun()
	require.Len(t, b.log, 1)
	require.Contains(t, b.log[0], "search: error Error invoking tool 'search' with kwargs {} with error:\n q: Field required")
}

func TestNestedCallsThatDoNotBegin(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.tool("deep", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		b.notef("deep")
		answer, err := rt.CallTool(ctx, "deep", nil)
		if err != nil {
			return nil, err
		}
		return &host.ToolOutput{Content: answer.Content}, nil
	})
	b.use(host.BeforeAgent("x", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.CallTool(ctx, "nobody", nil)
		require.Equal(t, host.ErrUnknownTool, err)
		_, err = rt.CallTool(ctx, "deep", nil)
		require.ErrorIs(t, err, host.ErrTooDeep)
		require.NotEqual(t, host.ErrTooDeep, err, "it is an error of the tool by now")
		var toolError *host.ToolError
		require.ErrorAs(t, err, &toolError)
		return nil, nil
	}))
	b.mustRun()
	require.Len(t, b.log, host.MaxCallDepth)
}

func TestANestedCallNeverWaits(t *testing.T) {
	t.Parallel()
	pool := host.NewPool(1)
	b := setup(t, scripted.Say("done"))
	b.answering("work", "worked")
	wrap := host.WrapToolHook{Pool: pool, Func: passingCall}
	hold := host.NodeHook{Pool: pool, Func: func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.CallTool(ctx, "work", nil)
		require.Equal(t, host.ErrBusy, err)
		return nil, nil
	}}
	free := host.NodeHook{Func: b.calling("work", nil)}
	b.use(&middleware{name: "m", hooks: host.Hooks{BeforeAgent: hold, BeforeModel: free, WrapToolCall: wrap}})
	b.mustRun()
	require.Equal(t, []string{"work", "work: success worked"}, b.log, "what a refused call had taken is given back")
}

func passingCall(ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
	m, err := next(ctx, req)
	return m, nil, err
}

// Updates of a nested call are applied with that of the hook, before it, wherever the call is made; if the hook fails,
// they are not.
func TestUpdatesOfNestedCalls(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(b *bundle, do func(context.Context, *host.Runtime) error){
		"a node hook": func(b *bundle, do func(context.Context, *host.Runtime) error) {
			b.use(host.AfterModel("x", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
				return setting("log", []string{"hook"}), do(ctx, rt)
			}))
		},
		"a wrap of the model": func(b *bundle, do func(context.Context, *host.Runtime) error) {
			b.use(host.WrapModelCall("x", func(
				ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				if err := do(ctx, rt); err != nil {
					return nil, nil, err
				}
				resp, err := next(ctx, req)
				return resp, setting("log", []string{"hook"}), err
			}))
		},
		"a tool": func(b *bundle, do func(context.Context, *host.Runtime) error) {
			b.tool("outer", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				return &host.ToolOutput{Update: setting("log", []string{"hook"})}, do(ctx, rt)
			})
		},
		"a wrap of a tool": func(b *bundle, do func(context.Context, *host.Runtime) error) {
			b.answering("outer", "")
			b.use(host.WrapToolCall("x", func(
				ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
			) (*abi.Message, *host.Update, error) {
				m, err := next(ctx, req)
				return m, setting("log", []string{"hook"}), errors.Join(err, do(ctx, rt))
			}, host.OnlyTools("outer")))
		},
	} {
		for _, fails := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, fails %t", name, fails), func(t *testing.T) {
				t.Parallel()
				script := []scripted.Turn{scripted.Say("done")}
				if strings.HasSuffix(name, "tool") {
					script = append([]scripted.Turn{calls("outer")}, script...)
				}
				b := setup(t, script...)
				b.State = []host.Field{{Name: "log", Reducer: host.Append()}}
				b.tool("note", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
					return &host.ToolOutput{Update: setting("log", []string{"tool"})}, nil
				})
				b.use(host.WrapToolCall("w", func(
					ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
				) (*abi.Message, *host.Update, error) {
					m, err := next(ctx, req)
					return m, setting("log", []string{"wrap"}), err
				}, host.OnlyTools("note")))
				use(b, func(ctx context.Context, rt *host.Runtime) error {
					_, err := rt.CallTool(ctx, "note", nil)
					if fails {
						err = errors.New("changed its mind")
					}
					return err
				})
				result, err := b.run()
				if fails {
					require.ErrorContains(t, err, "changed its mind")
					require.Equal(t, `{"log":[]}`, stateOf(result))
					return
				}
				require.NoError(t, err)
				require.Equal(t, `{"log":["tool","wrap","hook"]}`, stateOf(result))
			})
		}
	}
}

func TestAJumpOfANestedCallIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.tool("jump", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return &host.ToolOutput{Update: &host.Update{JumpTo: abi.JumpEnd}}, nil
	})
	b.use(host.BeforeModel("x", b.calling("jump", nil)))
	_, err := b.run()
	require.ErrorAs(t, err, new(*host.JumpError))
}

// reviewing is a wrap that lets a human decide on each call that a hook or tool makes, and on no other.
func (b *bundle) reviewing() host.Middleware {
	return &middleware{name: "review", hooks: host.Hooks{WrapToolCall: host.WrapToolHook{Nested: true, Func: func(
		ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		answer, err := rt.Interrupt("approve", wire.String(req.Call.Name+" "+req.Call.Args.JSON()))
		if err != nil {
			return nil, nil, err
		}
		b.notef("%s: %s", req.Call.Args.JSON(), answer.JSON())
		if said, _ := answer.AsString(); said != "yes" {
			m := abi.ToolFailure(req.Call, "refused")
			return &m, nil, nil
		}
		m, err := next(ctx, req)
		return m, nil, err
	}}}}
}

// A question inside of a nested call goes outward, whatever the caller makes of it, and its answer finds the way back.
func TestQuestionsInNestedCalls(t *testing.T) {
	t.Parallel()
	number := func(n int) wire.Raw { return wire.Map{{Key: "n", Value: wire.Int(int64(n))}}.Raw() }
	twice := func(ctx context.Context, rt *host.Runtime) { // it tries to hide the question
		for n := range 2 {
			if _, asked := rt.CallTool(ctx, "work", number(n)); asked != nil {
				_, err := rt.CallTool(ctx, "work", number(7))
				require.Equal(t, asked, err, "the frame is closed")
				return
			}
		}
	}
	for name, use := range map[string]func(b *bundle) string{
		"of a node hook": func(b *bundle) string {
			b.use(host.BeforeModel("x", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
				twice(ctx, rt)
				return nil, nil
			}))
			return ""
		},
		"of a wrap of the model": func(b *bundle) string {
			b.use(host.WrapModelCall("x", func(
				ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				twice(ctx, rt)
				resp, err := next(ctx, req)
				return resp, nil, err
			}))
			return ""
		},
		"of a tool": func(b *bundle) string {
			b.tool("outer", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				twice(ctx, rt)
				return host.TextOutput("outer"), nil
			})
			return "1"
		},
		"of a tool that a tool calls": func(b *bundle) string {
			b.tool("inner", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				twice(ctx, rt)
				return host.TextOutput("inner"), nil
			})
			b.tool("outer", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				_, _ = rt.CallTool(ctx, "inner", nil)
				return host.TextOutput("outer"), nil
			})
			return "1"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("outer"), calls("outer"), scripted.Say("done"), scripted.Say("done"), scripted.Say("done")).keeps()
			b.answering("work", "worked")
			b.use(b.reviewing())
			call := use(b)
			if call == "" {
				b.answering("outer", "outer")
			}
			agent := b.build()
			result, err := agent.Run(t.Context(), say("hi"))
			require.NoError(t, err)
			asked := map[string]bool{}
			for result.Status == host.Interrupted {
				require.Len(t, result.Interrupts, 1)
				q := result.Interrupts[0]
				require.Equal(t, "review.wrap_tool_call "+call+" approve", q.Step+" "+q.CallID+" "+q.Key)
				require.False(t, asked[q.ID])
				asked[q.ID] = true
				nothingHappened(t, result, outcome(t, agent, goOn()))
				answer := "yes"
				if strings.Contains(q.Value.JSON(), `\"n\":1`) {
					answer = "no"
				}
				result = outcome(t, agent, resume(host.Answer{Value: answer}))
			}
			require.Equal(t, host.Completed, result.Status)
			worked := 0
			for _, line := range b.log {
				require.NotEqual(t, `{"n":1}: "yes"`, line, "an answer counts for the call that it was given to")
				require.NotEqual(t, `{"n":0}: "no"`, line)
				if line == "work" {
					worked++
				}
			}
			require.Positive(t, worked)
			require.NotEmpty(t, asked)
		})
	}
}

// When the caller calls in another order after a resume, an answer does not count for another call.
func TestAnswersDoNotCountForOtherCalls(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).keeps()
	b.answering("read", "read")
	b.answering("erase", "erased")
	b.use(b.reviewing())
	first := true
	b.use(host.BeforeModel("x", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		tool := "erase"
		if first {
			tool, first = "read", false
		}
		_, err := rt.CallTool(ctx, tool, nil)
		return nil, err
	}))
	agent := b.build()
	asked := outcome(t, agent, say("hi")).Interrupts
	require.Equal(t, `"read {}"`, asked[0].Value.JSON())
	asked = outcome(t, agent, resume(host.Answer{Value: "yes"})).Interrupts
	require.Equal(t, `"erase {}"`, asked[0].Value.JSON())
	require.NotContains(t, b.log, "erase")
}

func TestEventsOfANestedCall(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.answering("work", "worked")
	b.use(host.BeforeModel("x", b.calling("work", nil)))
	events, err := b.stream()
	require.NoError(t, err)
	var seen []string
	for _, e := range events {
		if e.Type == host.EventTool || e.Type == host.EventHook {
			id := ""
			if e.Call != nil {
				id = e.Call.ID
			}
			seen = append(seen, fmt.Sprintf("%s %s %s %d", e.Type, e.Step, id, len(e.Messages)))
		}
	}
	require.Len(t, seen, 3)
	require.Regexp(t, `^tool x\.before_model call-[0-9a-f]{32}-1 0$`, seen[0])
	require.Equal(t, seen[0][:len(seen[0])-1]+"1", seen[1])
	require.Equal(t, "hook x.before_model  0", seen[2])
}

func TestACancelledNestedCallGoesOutward(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	ctx, cancel := context.WithCancel(t.Context())
	b.tool("wait", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	b.use(host.BeforeModel("x", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		_, _ = rt.CallTool(ctx, "wait", nil)
		return setting("unknown", 1), nil
	}))
	result, err := b.build().Run(ctx, hi())
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, host.Cancelled, result.Status)
}

func TestToolsThatHooksNameMustBeThere(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.answering("work", "worked")
	b.use(&middleware{name: "m", hooks: host.Hooks{Calls: []string{"work", "wrok"}}})
	_, err := host.New(b.Config)
	require.ErrorContains(t, err, `middleware "m": it may call the tool "wrok", which the agent does not have; did you mean "work"? It has [work]`)
}

// A wrap of nested calls alone is no reason for a step of tools, and does not show in calls of the model.
func TestAWrapOfNestedCallsAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("work"), scripted.Say("done"))
	require.NotContains(t, b.use(b.reviewing()).build().Program().Mermaid(), "tools")
	b.answering("work", "worked")
	b.mustRun()
	require.Equal(t, []string{"work"}, b.log)
}
