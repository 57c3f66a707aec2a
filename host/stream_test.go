package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// jsonLines shows events as JSON lines, without what the clock says.
func jsonLines(t *testing.T, events []host.Event) string {
	t.Helper()
	var out strings.Builder
	for i := range events {
		event := events[i]
		event.Time, event.Duration = time.Time{}, 0
		line, err := json.Marshal(event)
		require.NoError(t, err)
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.String()
}

// eventful is an agent in whose run every type of event happens.
func eventful(t *testing.T) *bundle {
	t.Helper()
	b := setup(t, scripted.Turn{Message: abi.AI("let me see", call("1", "slow"), call("2", "fast"), call("3", "nobody"))}, scripted.Say("all done"))
	b.Name, b.SystemPrompt = "agent", abi.Text("be kind")
	b.State = []host.Field{{Name: "hidden", HideInput: true}, {Name: "sum", Reducer: host.Add()}}
	emits := func(ms int) toolFunc {
		return func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
			time.Sleep(time.Duration(ms) * time.Millisecond)
			rt.Emit("progress", wire.Int(int64(ms)))
			time.Sleep(time.Duration(ms) * time.Millisecond)
			rt.Warn(call.Name + " warns")
			return &host.ToolOutput{Content: abi.Text(call.Name), Update: setting("sum", ms)}, nil
		}
	}
	b.tool("slow", emits(500)).tool("fast", emits(1))
	return b.use(
		host.BeforeAgent("first", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			rt.Observe(host.Observation{Fuel: 7, Digest: "sha256:x", Instance: 1})
			return setting("sum", 1), nil
		}),
		host.WrapModelCall("tokens", passing(func(*host.Runtime) *host.Update { return setting("sum", 10) }), host.PassesTokens()),
		host.WrapToolCall("filtered", func(
			ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
		) (*abi.Message, *host.Update, error) {
			m, err := next(ctx, req)
			return m, setting("sum", 100), err
		}, host.OnlyTools("fast")),
		host.AfterAgent("last", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			all := rt.State().Messages()
			return &host.Update{
				Messages: []abi.Message{abi.Human("bye")}, Remove: []string{all.At(0).ID},
				Patch: []abi.Patch{abi.NewPatch(all.At(all.Len() - 1).ID).SetContent(abi.Text("patched"))},
			}, nil
		}),
	)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in := hi()
		in.Thread, in.State = "thread", map[string]any{"hidden": 1}
		b := eventful(t)
		b.Checkpointer = memory.New()
		var events []host.Event
		for event, err := range b.build().Stream(t.Context(), in) {
			require.NoError(t, err)
			events = append(events, event)
		}
		golden(t, "events.golden.jsonl", jsonLines(t, events))
	})
}

func TestEventsOfARunThatFails(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Fail(errors.New("broken")))
	b.use(host.WrapModelCall("w", passing(nothing)))
	events, err := b.stream()
	require.EqualError(t, err, `model "scripted": broken`)
	golden(t, "events_failed.golden.jsonl", jsonLines(t, events))
}

func TestAFailedStreamYieldsItsErrorLast(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	yielded := 0
	var last host.Event
	for event, err := range setup(t, scripted.Fail(broken)).build().Stream(t.Context(), hi()) {
		if err == nil {
			require.Zero(t, yielded)
			last = event
			continue
		}
		yielded++
		require.ErrorIs(t, err, broken)
		require.Equal(t, host.EventEnd, event.Type)
		require.Equal(t, host.Failed, event.Status)
	}
	require.Equal(t, 1, yielded)
	require.Equal(t, host.EventEnd, last.Type)
}

func TestEventTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, scripted.Say("done"))
		b.Clock = time.Now
		start := time.Now()
		b.use(host.BeforeAgent("x", func(context.Context, *host.Runtime) (*host.Update, error) {
			time.Sleep(time.Second)
			return nil, nil
		}))
		events, err := b.stream()
		require.NoError(t, err)
		for i, event := range events {
			require.Equal(t, uint64(i+1), event.Seq)
			if event.Type == host.EventHook || event.Type == host.EventEnd {
				require.Equal(t, time.Second, event.Duration)
				require.Equal(t, start.Add(time.Second), event.Time)
			}
		}
	})
}

func TestTokensStreamOnlyPastWrapsThatLetThemPass(t *testing.T) {
	t.Parallel()
	passes := host.WrapModelCall("passes", passing(nothing), host.PassesTokens())
	holds := host.WrapModelCall("holds", passing(nothing))
	for _, test := range []struct {
		name  string
		wraps []host.Middleware
		want  []string
	}{
		{"without wraps", nil, []string{"all ", "is ", "done"}},
		{"all pass", []host.Middleware{passes, passes}, []string{"all ", "is ", "done"}},
		{"one does not", []host.Middleware{passes, holds}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			events, err := setup(t, scripted.Say("all is done")).use(test.wraps...).stream()
			require.NoError(t, err)
			var tokens []string
			for i := range events {
				if events[i].Type == host.EventToken {
					tokens = append(tokens, events[i].Text)
				}
			}
			require.Equal(t, test.want, tokens)
		})
	}
}

func TestAModelThatCannotStreamGivesNoTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Model = modelFunc(func(context.Context) (*model.Response, error) { return model.Reply(abi.AI("all done")), nil })
	events, err := b.stream()
	require.NoError(t, err)
	for i := range events {
		require.NotEqual(t, host.EventToken, events[i].Type)
	}
}

func TestAResponseWithoutAnAnswerIsAnError(t *testing.T) {
	t.Parallel()
	for _, resp := range []*model.Response{nil, {}, {Messages: []abi.Message{abi.Human("x")}}} {
		b := setup(t)
		b.Model = modelFunc(func(context.Context) (*model.Response, error) { return resp, nil })
		_, err := b.run()
		require.EqualError(t, err, `model "func": the response has no AI message`)
	}
}

func TestRunAndStreamDoTheSame(t *testing.T) {
	t.Parallel()
	var want, got *host.Result
	synctest.Test(t, func(t *testing.T) {
		var err error
		want, err = eventful(t).build().Run(t.Context(), hi())
		require.NoError(t, err)
	})
	synctest.Test(t, func(t *testing.T) {
		events := 0
		var err error
		got, err = eventful(t).build().RunEvents(t.Context(), hi(), func(host.Event) error { events++; return nil })
		require.NoError(t, err)
		require.Positive(t, events)
	})
	require.Equal(t, want.Messages.Messages(), got.Messages.Messages())
	require.Equal(t, stateOf(want), stateOf(got))
	require.Equal(t, want.Steps, got.Steps)
}

func TestAnErrorOfTheEventHandlerCancelsTheRun(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	b := setup(t, scripted.Say("done"))
	handled := 0
	result, err := b.build().RunEvents(t.Context(), hi(), func(host.Event) error { handled++; return full })
	require.Same(t, full, err)
	require.Equal(t, 1, handled)
	require.Equal(t, host.Cancelled, result.Status)
}
