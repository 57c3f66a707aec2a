package host_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// cuts are the ways in which a run is cut off. A tool or hook that is returns what they return.
var cuts = map[string]func(d *dying, cancel func()) error{
	"by a crash":        func(d *dying, _ func()) error { d.die(); return errDead },
	"by a cancellation": func(_ *dying, cancel func()) error { cancel(); return context.Canceled },
}

// again is a wrap that tries calls of a tool once more when they have failed.
func again(name string) host.Middleware {
	return host.WrapToolCall("again", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req)
		if err != nil && !host.IsControlFlow(err) {
			m, err = next(ctx, req)
		}
		return m, nil, err
	}, host.OnlyTools(name))
}

// notifying is a wrap that calls send before calls of a tool.
func notifying(name string) host.Middleware {
	return host.WrapToolCall("notify", func(
		ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		if _, err := rt.CallTool(ctx, "send", nil); err != nil {
			return nil, nil, err
		}
		m, err := next(ctx, req)
		return m, nil, err
	}, host.OnlyTools(name))
}

const notRunAgain = "This tool call was cut off before it ended. It is not known what it has done. It was not run again."

// The first try has failed, the second one was cut off: to go on is to ask, not to begin with the first one.
func TestAHookThatTriesItsCallAgainIsAskedAboutTheTryThatWasCutOff(t *testing.T) {
	t.Parallel()
	for by, use := range map[string]func(d *dying){
		"of a node hook": func(d *dying) {
			d.use(host.BeforeAgent("tries", func(ctx context.Context, rt *host.Runtime) (_ *host.Update, err error) {
				for range 2 {
					if _, err = rt.CallTool(ctx, "send", nil); err == nil {
						break
					}
				}
				return nil, err
			}))
		},
		"of a wrap that is tried again": func(d *dying) { d.use(again("act"), notifying("act")) },
	} {
		for way, cut := range cuts {
			t.Run(by+" "+way, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				d := newDying(t, calls("act"), scripted.Say("done"))
				d.answering("act", "acted")
				d.sends(func(_ context.Context, n int) error {
					if n == 1 {
						return errors.New("not yet")
					}
					return cut(d, cancel)
				})
				use(d)
				_, err := d.build().Run(ctx, say("hi"))
				require.Error(t, err)
				require.Equal(t, 2, d.sent)
				agent := d.revive()
				asked(t, agent)
				result := completed(t, agent, answering("skip"))
				require.Equal(t, []string{"human: hi", "ai: ", "tool 1: acted", "ai: done"}, lines(result.Messages))
				require.Equal(t, 2, d.sent)
			})
		}
	}
}

// It was the second one of two: what is known of the first one is not its own.
func TestASecondCallOfAHookIsAskedAboutAlone(t *testing.T) {
	t.Parallel()
	d := newDying(t, scripted.Say("done"))
	d.sends(func(_ context.Context, n int) error {
		if n == 2 {
			d.die()
			return errDead
		}
		return nil
	})
	d.use(host.BeforeModel("twice", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		for range 2 {
			if _, err := rt.CallTool(ctx, "send", nil); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}))
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, errDead)
	agent := d.revive()
	asked(t, agent)
	completed(t, agent, answering("skip"))
	require.Equal(t, 2, d.sent)
}

// The outer tool may run twice, which its inner one may not.
func TestAToolInsideOfAnIdempotentOneIsAskedAbout(t *testing.T) {
	t.Parallel()
	for way, cut := range cuts {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d := newDying(t, calls("outer"), scripted.Say("done"))
			tries := 0
			d.tool("outer", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				tries++
				if tries == 1 {
					return nil, errors.New("not yet")
				}
				m, err := rt.CallTool(ctx, "send", nil)
				if err != nil {
					return nil, err
				}
				return host.TextOutput(m.Content.Text()), nil
			}, tool.Idempotent())
			d.sends(func(context.Context, int) error { return cut(d, cancel) })
			d.use(again("outer"))
			_, err := d.build().Run(ctx, say("hi"))
			require.Error(t, err)
			agent := d.revive()
			asked(t, agent)
			result := completed(t, agent, answering(map[string]any{"type": "respond", "message": "it was sent"}))
			require.Equal(t, []string{"human: hi", "ai: ", "tool 1: it was sent", "ai: done"}, lines(result.Messages))
			require.Equal(t, 1, d.sent)
		})
	}
}

// Whoever called the tool is cut off behind it: its result was noted.
func TestAToolThatHasEndedDoesNotRunAgainWithItsCaller(t *testing.T) {
	t.Parallel()
	for caller, test := range map[string]struct {
		script []scripted.Turn
		use    func(d *dying, behind func() error)
	}{
		"a wrap of it": {[]scripted.Turn{calls("send"), scripted.Say("done")}, func(d *dying, behind func() error) {
			d.use(host.WrapToolCall("x", func(
				ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
			) (*abi.Message, *host.Update, error) {
				m, err := next(ctx, req)
				return m, nil, errors.Join(err, behind())
			}))
		}},
		"a node hook": {[]scripted.Turn{scripted.Say("done")}, func(d *dying, behind func() error) {
			d.use(host.BeforeModel("x", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
				_, err := rt.CallTool(ctx, "send", nil)
				return nil, errors.Join(err, behind())
			}))
		}},
		"a wrap of the model": {[]scripted.Turn{scripted.Say("done")}, func(d *dying, behind func() error) {
			d.use(host.WrapModelCall("x", func(
				ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				_, err := rt.CallTool(ctx, "send", nil)
				if err := errors.Join(err, behind()); err != nil {
					return nil, nil, err
				}
				resp, err := next(ctx, req)
				return resp, nil, err
			}))
		}},
	} {
		for way, cut := range cuts {
			t.Run(caller+" "+way, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				d := newDying(t, test.script...)
				d.sends(nil)
				first := true
				test.use(d, func() error {
					if !first {
						return nil
					}
					first = false
					return cut(d, cancel)
				})
				_, err := d.build().Run(ctx, say("hi"))
				require.Error(t, err)
				completed(t, d.revive(), goOn())
				require.Equal(t, 1, d.sent)
			})
		}
	}
}

// The same behind a tool that has ended, whose wrap is cut off since another call of the batch fails.
func TestAToolThatHasEndedDoesNotRunAgainBesideOneThatFails(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("send", "fail"), scripted.Say("done")).keeps().answering("send", "sent")
	b.ToolCalls.Parallel = 2
	sent, first := make(chan struct{}), true
	b.tool("fail", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		if first {
			<-sent
			return nil, errors.New("broken")
		}
		return host.TextOutput("mended"), nil
	})
	b.use(host.WrapToolCall("slow", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req)
		if first {
			close(sent)
			<-ctx.Done()
			return nil, nil, ctx.Err()
		}
		return m, nil, err
	}, host.OnlyTools("send")))
	agent := b.build()
	_, err := agent.Run(t.Context(), say("hi"))
	require.ErrorContains(t, err, "broken")
	first = false
	result := completed(t, agent, goOn())
	require.Equal(t, []string{"human: hi", "ai: ", "tool 1: sent", "tool 2: mended", "ai: done"}, lines(result.Messages))
	require.Equal(t, []string{"send"}, b.log)
}

// A tool had no more time, and the process dies before that is saved: nobody knows what it has done.
func TestAToolThatHadNoMoreTimeIsAskedAboutAfterACrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDying(t, calls("slow", "send"), scripted.Say("done"))
		d.ToolCalls.Parallel, d.ToolCalls.ToolTimeout = 1, time.Minute
		d.tool("slow", func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			d.notef("slow")
			<-ctx.Done()
			return nil, ctx.Err()
		})
		d.sends(func(context.Context, int) error { d.die(); return nil })
		_, err := d.build().Run(t.Context(), say("hi"))
		require.ErrorIs(t, err, errDead)
		agent := d.revive()
		ids := interrupted(t, agent, goOn())
		require.Len(t, ids, 2)
		result := completed(t, agent, resume(host.Answer{Interrupt: ids[0], Value: "skip"}, host.Answer{Interrupt: ids[1], Value: "skip"}))
		require.Equal(t, []string{"human: hi", "ai: ", "failed 1: " + notRunAgain, "failed 2: " + notRunAgain, "ai: done"}, lines(result.Messages))
		require.Equal(t, []string{"slow"}, d.log)
		require.Equal(t, 1, d.sent)
	})
}

// A hook gives its tool less time than there is, and handles that: it has decided, and nobody is asked.
func TestAHookThatHandlesATimeoutHasDecided(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDying(t, scripted.Say("done"))
		d.sends(func(ctx context.Context, n int) error {
			if n == 1 {
				<-ctx.Done()
			}
			return ctx.Err()
		})
		d.use(host.BeforeModel("patient", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
			short, stop := context.WithTimeout(ctx, time.Minute)
			defer stop()
			_, err := rt.CallTool(short, "send", nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			_, err = rt.CallTool(ctx, "send", nil)
			return nil, err
		}), host.BeforeModel("asks", d.asking("q")))
		agent := d.build()
		require.Equal(t, "q", outcome(t, agent, say("hi")).Interrupts[0].Key)
		got, err := agent.State(t.Context(), "t", 0)
		require.NoError(t, err)
		require.Empty(t, got.Unfinished)
		completed(t, agent, answering("yes"))
		require.Equal(t, 2, d.sent)
	})
}

// The step of a call that was skipped is over, and the run waits in the next one.
func TestACallThatAPersonHasDecidedIsNotUnfinished(t *testing.T) {
	t.Parallel()
	d := newDying(t, scripted.Say("done"))
	d.sends(func(context.Context, int) error { d.die(); return nil })
	d.use(host.BeforeModel("calls", d.calling("send", nil)), host.BeforeModel("asks", d.asking("q")))
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, errDead)
	agent := d.revive()
	asked(t, agent)
	require.Equal(t, "q", outcome(t, agent, answering("skip")).Interrupts[0].Key)
	got, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, "asks.before_model", got.Next)
	require.Empty(t, got.Unfinished)
}

func TestACallWhoseIDAHookChangesIsAskedAbout(t *testing.T) {
	t.Parallel()
	d := newDying(t, calls("send"), scripted.Say("done"))
	d.sends(func(context.Context, int) error { d.die(); return nil })
	d.use(host.WrapToolCall("traces", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		changed := *req
		changed.Call.ID = "trace-" + req.Call.ID
		m, err := next(ctx, &changed)
		return m, nil, err
	}))
	_, err := d.build().Run(t.Context(), say("hi"))
	require.ErrorIs(t, err, errDead)
	agent := d.revive()
	asked(t, agent)
	result := completed(t, agent, answering("skip"))
	require.Equal(t, []string{"human: hi", "ai: ", "failed 1: " + notRunAgain, "ai: done"}, lines(result.Messages))
	require.Equal(t, 1, d.sent)
}
