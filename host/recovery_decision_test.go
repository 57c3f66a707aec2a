package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// The wrap asks for the primary tool, and then for the one that was cut off: one answer is good for both.
func TestADecisionHoldsForTheToolThatAWrapAsksForLater(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		decision any
		want     string
		sent     int
	}{
		{"skip", "failed 1: " + notRunAgain, 1},
		{map[string]any{"type": "respond", "message": "it was sent"}, "tool 1: it was sent", 1},
		{"retry", "tool 1: sent", 2},
	} {
		d := newDying(t, calls("primary"), scripted.Say("done"))
		d.tool("primary", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
			return nil, errors.New("down")
		})
		keys := map[string]bool{}
		d.tool("send", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			keys[rt.IdempotencyKey()] = true
			d.sent++
			if d.sent == 1 {
				d.die()
			}
			return host.TextOutput("sent"), nil
		})
		d.use(host.WrapToolCall("fallback", func(
			ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
		) (*abi.Message, *host.Update, error) {
			m, err := next(ctx, req)
			if host.IsControlFlow(err) {
				return nil, nil, err
			}
			if err != nil || m.Failed() {
				other := *req
				other.Tool, other.Call.Name = d.Tools[1], "send"
				m, err = next(ctx, &other)
			}
			return m, nil, err
		}))
		_, err := d.build().Run(t.Context(), say("hi"))
		require.ErrorIs(t, err, errDead)
		agent := d.revive()
		require.Contains(t, asked(t, agent).Value.JSON(), "A hook around it now asks for primary {}, which is what retry runs.")
		result := completed(t, agent, answering(test.decision))
		require.Equal(t, []string{"human: hi", "ai: ", test.want, "ai: done"}, lines(result.Messages))
		require.Equal(t, test.sent, d.sent)
		require.Len(t, keys, 1, "it is the same execution")
	}
}

// The next process has other tools. What the first one's have done is known all the same.
func TestToolsThatAreGoneAfterACrash(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]func(d *dying){
		"gone": func(d *dying) { d.answering("another", "") },
		"with other arguments": func(d *dying) {
			d.answering("look", "seen again", needing("where")).answering("send", "sent again", needing("to"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDying(t, calls("look", "send"), scripted.Say("done"))
			d.ToolCalls.Parallel = 1
			d.answering("look", "seen")
			d.sends(func(context.Context, int) error { d.die(); return nil })
			_, err := d.build().Run(t.Context(), say("hi"))
			require.ErrorIs(t, err, errDead)
			d.Tools = nil
			now(d)
			agent := d.revive()
			require.Contains(t, asked(t, agent).Value.JSON(), "it cannot be retried")
			result := completed(t, agent, answering("skip"))
			require.Equal(t, []string{"human: hi", "ai: ", "tool 1: seen", "failed 2: " + notRunAgain, "ai: done"}, lines(result.Messages))
			require.Equal(t, []string{"look"}, d.log)
		})
	}
}

// needing makes a tool one that must have an argument.
func needing(argument string) tool.Option {
	return func(spec *abi.ToolSpec) {
		spec.Parameters, _ = wire.Of(map[string]any{"type": "object", "required": []any{argument}}) // texts can be encoded
	}
}

// A result that was found has used up the run's tokens. The model is not told that the other tool has not run.
func TestALimitOfTokensBehindACrash(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		maximum int
		fails   bool
		want    []string
	}{
		"is reached": {2, false, []string{
			"tool 1: found", "failed 2: Tool call limit exceeded: the call was executed, but its result is left out: " +
				"it has 1 tokens, and 0 of the run's 2 are left.", "ai: done",
		}},
		"is exceeded": {1, true, []string{
			"failed 1: Tool call limit exceeded: the call was executed, but its result is left out: it has 2 tokens, and 1 of the run's 1 are left.",
			"failed 2: This tool call was cut off before it ended. It is not known what it has done.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDying(t, calls("search", "send"), scripted.Say("done"))
			d.ToolCalls = host.ToolCallConfig{Parallel: 1, MaxTotalTokens: test.maximum, ErrorOnExceedLimit: &test.fails}
			d.answering("search", "found")
			d.sends(func(context.Context, int) error { d.die(); return nil })
			_, err := d.build().Run(t.Context(), say("hi"))
			require.ErrorIs(t, err, errDead)
			agent, in := d.revive(), goOn()
			if !test.fails {
				asked(t, agent)
				in = answering(map[string]any{"type": "respond", "message": "ok"})
			}
			result, err := agent.Run(t.Context(), in)
			require.Equal(t, test.fails, err != nil, "%v", err)
			require.Equal(t, append([]string{"human: hi", "ai: "}, test.want...), lines(result.Messages))
			require.Equal(t, 1, d.sent)
		})
	}
}

// Who answers has seen a key, and asked somebody else about it perhaps. The tool is run with the same one.
func TestTheKeyThatAPersonWasShownIsTheKeyOfTheRetry(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"in the thread", "in a fork", "behind an older checkpoint"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			d := newDying(t)
			d.counted().Model = &turnModel{script: []scripted.Turn{calls("send"), scripted.Say("done")}}
			var keys []string
			d.tool("send", func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				keys = append(keys, rt.IdempotencyKey())
				if len(keys) == 1 {
					d.die()
				}
				return host.TextOutput("sent"), nil
			})
			_, err := d.build().Run(t.Context(), say("hi"))
			require.ErrorIs(t, err, errDead)
			agent := d.revive()
			question := asked(t, agent)
			in := answering("retry")
			switch way {
			case "in a fork":
				in.Thread = "copy"
				require.NoError(t, d.store.Fork(t.Context(), "t", 0, in.Thread))
			case "behind an older checkpoint":
				got, err := agent.State(t.Context(), "t", 0)
				require.NoError(t, err)
				in.Checkpoint = got.Checkpoint
				completed(t, agent, answering("skip"))
			}
			completed(t, agent, in)
			require.Contains(t, question.Value.JSON(), `"idempotency_key":"`+keys[0]+`"`)
			require.Equal(t, []string{keys[0], keys[0]}, keys)
		})
	}
}
