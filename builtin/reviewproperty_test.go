package builtin_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

var toolsOfADesk = []string{"mail", "search", "calc"}

// drawReview draws a review of some tools, in one of the modes.
func drawReview(t *rapid.T) builtin.HumanInTheLoop {
	h := reviewing(rapid.SliceOfNDistinct(rapid.SampledFrom(toolsOfADesk), 1, 3, rapid.ID).Draw(t, "reviewed")...)
	h.InterruptMode = rapid.SampledFrom([]string{"batched", "per_call"}).Draw(t, "mode")
	return h
}

// drawAround draws middleware that makes reviews hard: a jump past them, calls by a hook, one that rewrites the calls of the
// model, a limit.
func drawAround(t *rapid.T) host.Middleware {
	switch rapid.IntRange(0, 3).Draw(t, "around") {
	case 0:
		return &hooked{"jump", host.Hooks{AfterModel: host.NodeHook{
			CanJumpTo: []abi.Target{abi.JumpTools}, Func: func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
				if last, _ := rt.State().Messages().Last(); len(last.ToolCalls) == 0 {
					return nil, nil
				}
				return &host.Update{JumpTo: abi.JumpTools}, nil
			},
		}}}
	case 1:
		name := rapid.SampledFrom(toolsOfADesk).Draw(t, "called")
		return host.BeforeModel("caller", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
			_, err := rt.CallTool(ctx, name, wire.Map{{Key: "n", Value: wire.Int(-1)}}.Raw())
			return nil, err
		})
	case 2:
		return host.AfterModel("rewrites", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			last, _ := rt.State().Messages().Last()
			if last.Role != abi.RoleAI || len(last.ToolCalls) == 0 {
				return nil, nil
			}
			last.ToolCalls = slices.Clone(last.ToolCalls)
			for i := range last.ToolCalls {
				last.ToolCalls[i].Args = wire.Map{{Key: "n", Value: wire.Int(int64(1000 + i))}}.Raw()
			}
			return &host.Update{Messages: []abi.Message{last}}, nil
		})
	default:
		return builtin.ToolCallLimit{ToolName: "search", RunLimit: new(2)}
	}
}

// human decides about everything that is asked, and remembers what each review has allowed.
type human struct {
	t       *rapid.T
	edits   int
	allowed map[string][]string // by middleware
}

func (h *human) decide(reviewer, name string, args map[string]any) builtin.Decision {
	allow := func(name string, args map[string]any) {
		raw, err := wire.MapOf(args)
		require.NoError(h.t, err)
		h.allowed[reviewer] = append(h.allowed[reviewer], name+" "+raw.Raw().JSON())
	}
	choice := rapid.IntRange(0, 3).Draw(h.t, "decision")
	if h.edits > 20 {
		choice = 0
	}
	switch choice {
	case 0:
		allow(name, args)
		return approve
	case 1:
		return reject
	case 2:
		return builtin.Decision{Type: builtin.Respond, Message: "no need"}
	default:
		h.edits++
		args = map[string]any{"n": 100 + h.edits}
		allow(name, args)
		return edit(name, args)
	}
}

// answers decides about all that waits; with one mode or the other the form tells what is asked.
func (h *human) answers(asked []host.Interrupt) (in host.Input) {
	for i := range asked {
		reviewer, _, _ := strings.Cut(asked[i].Step, ".")
		var one builtin.ToolApproval
		require.NoError(h.t, host.Decode(asked[i].Value, &one))
		var value any
		if one.Type != "" {
			value = h.decide(reviewer, one.Name, one.Args)
		} else {
			var request builtin.ReviewRequest
			require.NoError(h.t, host.Decode(asked[i].Value, &request))
			var decisions []builtin.Decision
			for _, action := range request.ActionRequests {
				d := h.decide(reviewer, action.Name, action.Args)
				if d.Type == builtin.Edit && rapid.Bool().Draw(h.t, "another tool") {
					d.EditedAction.Name = rapid.SampledFrom(toolsOfADesk).Draw(h.t, "tool")
					h.allowed[reviewer] = append(h.allowed[reviewer], strings.Replace(
						h.allowed[reviewer][len(h.allowed[reviewer])-1], action.Name, d.EditedAction.Name, 1))
				}
				decisions = append(decisions, d)
			}
			value = decide(decisions...)
		}
		in.Resume = append(in.Resume, host.Answer{Interrupt: asked[i].ID, Value: value})
	}
	return in
}

// Whatever is around reviews and whatever humans decide: a call runs only as all whose policies name it have allowed it,
// and each call of the model is answered once.
func TestReviewProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		reviews := map[string]builtin.HumanInTheLoop{}
		var middleware []host.Middleware
		for range rapid.IntRange(1, 2).Draw(t, "reviews") {
			name := "human_in_the_loop" + map[bool]string{true: "#2"}[len(reviews) > 0]
			reviews[name] = drawReview(t)
			middleware = append(middleware, reviews[name])
		}
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			at := rapid.IntRange(0, len(middleware)).Draw(t, "place")
			middleware = slices.Insert(middleware, at, drawAround(t))
		}
		var turns []scripted.Turn
		n := 0
		for range rapid.IntRange(1, 3).Draw(t, "turns") {
			calls := make([]abi.ToolCall, rapid.IntRange(1, 3).Draw(t, "calls"))
			for j := range calls {
				n++
				name := rapid.SampledFrom(toolsOfADesk).Draw(t, "name")
				calls[j] = abi.Call(string(rune('a'+j)), name, map[string]any{"n": n})
			}
			turns = append(turns, scripted.CallTools(calls...))
		}
		d := newLongDesk(middleware, append(turns, scripted.Say("done"))...)
		h := &human{t: t, allowed: map[string][]string{}}

		result := d.start(t)
		for range 200 {
			if result.Status == host.Completed {
				break
			}
			var err error
			result, err = d.run(t, h.answers(d.asked))
			require.NoError(t, err)
		}

		require.Equal(t, host.Completed, result.Status)
		require.NoError(t, checkAnswers(result.Messages))
		require.Empty(t, openIn(result.Messages))
		for _, call := range d.ran {
			name, _, _ := strings.Cut(call, " ")
			for reviewer, review := range reviews {
				if _, ok := review.InterruptOn[name]; ok {
					require.Contains(t, h.allowed[reviewer], call, "%s has not allowed it", reviewer)
				}
			}
		}
	})
}
