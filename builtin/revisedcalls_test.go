package builtin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// All middleware around an edited call sees it, also what stands outside of the review.
func TestAnEditedCallMeetsAllMiddleware(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		review builtin.HumanInTheLoop
		answer any
	}{{reviewing("mail"), decide(edit("mail", receiver("bob")))}, {alone("mail"), edit("mail", receiver("bob"))}} {
		var outside, inside []string
		d := newDesk([]host.Middleware{watching(&outside), test.review, watching(&inside)}, mailTo("1", "ann"))
		d.start(t)
		outside = nil // which a call that asks alone has come past
		d.finish(t, test.answer)
		require.Equal(t, []string{`mail {"to":"bob"}`}, outside)
		require.Equal(t, []string{`mail {"to":"bob"}`}, inside)
	}
}

// What a human has decided is what runs, whatever middleware outside of the review makes of the call.
func TestAnEditWinsOverOtherMiddleware(t *testing.T) {
	t.Parallel()
	changes := host.WrapToolCall("changes", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req.WithArgs(wire.Map{{Key: "to", Value: wire.String("eve")}}.Raw()))
		return m, nil, err
	})
	d := newDesk([]host.Middleware{changes, reviewing("mail")}, mailTo("1", "ann"), mailTo("2", "ann"))
	d.start(t)
	result, err := d.answer(t, decide(edit("mail", receiver("bob")), approve))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status, "what was approved is not what would run")
	require.Equal(t, []string{`mail {"to":"bob"}`}, d.ran)
	d.finish(t, decide(approve))
	require.Equal(t, []string{`mail {"to":"bob"}`, `mail {"to":"eve"}`}, d.ran)

	// a call that asks alone asks for what it has become
	d = newDesk([]host.Middleware{changes, alone("mail")}, mailTo("1", "ann"))
	d.start(t)
	require.Equal(t, []string{`mail {"to":"eve"}`}, d.questions(t))
	d.finish(t, edit("mail", receiver("bob")))
	require.Equal(t, []string{`mail {"to":"bob"}`}, d.ran)
}

// An answer serves the call that it was given for, and no other.
func TestAnAnswerIsForOneCall(t *testing.T) {
	t.Parallel()
	to := "ann"
	changes := host.WrapToolCall("changes", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req.WithArgs(wire.Map{{Key: "to", Value: wire.String(to)}}.Raw()))
		return m, nil, err
	})
	d := newDesk([]host.Middleware{changes, alone("mail")}, mailTo("1", ""))
	d.start(t)
	to = "eve"
	result, err := d.answer(t, approve)
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, []string{`mail {"to":"eve"}`}, d.questions(t))
	require.Empty(t, d.ran)
}

// Nor is it for what a hook behind the review has made of the model's call.
func TestADecisionIsForTheCallThatWasShown(t *testing.T) {
	t.Parallel()
	rewrites := host.AfterModel("rewrites", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		last, _ := rt.State().Messages().Last()
		if len(last.ToolCalls) == 0 {
			return nil, nil
		}
		last.ToolCalls = []abi.ToolCall{mailTo("1", "eve")}
		return &host.Update{Messages: []abi.Message{last}}, nil
	})
	d := newDesk([]host.Middleware{rewrites, reviewing("mail")}, mailTo("1", "ann"))
	d.start(t)
	result, err := d.answer(t, decide(approve))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, []string{`mail {"to":"eve"}`}, d.questions(t))
	d.finish(t, decide(reject))
	require.Empty(t, d.ran)
}

// A call that becomes one of another tool on its way to a review that asks alone cannot be led to a third.
func TestARenamedCallKeepsItsTool(t *testing.T) {
	t.Parallel()
	skip := host.NodeHook{CanJumpTo: []abi.Target{abi.JumpTools}, Func: func(context.Context, *host.Runtime) (*host.Update, error) {
		return &host.Update{JumpTo: abi.JumpTools}, nil
	}}
	renames := host.WrapToolCall("renames", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req.WithName("mail"))
		return m, nil, err
	})
	d := newDesk([]host.Middleware{renames, reviewing("mail"), &hooked{"skip", host.Hooks{AfterModel: skip}}}, abi.Call("1", "calc", nil))
	d.start(t)
	require.Equal(t, []string{"mail {}"}, d.questions(t))
	_, err := d.answer(t, decide(edit("search", document{})))
	require.ErrorContains(t, err, `the tool call "1" was changed by other middleware before its review, so only its arguments can be edited`)
	require.Empty(t, d.ran)
}

func TestAnEditedCallCountsAgainstALimit(t *testing.T) {
	t.Parallel()
	const blocked = "Tool call limit exceeded. Do not call 'search' again."
	toSearch := edit("search", document{"q": 1})
	for name, test := range map[string]struct {
		limit     builtin.ToolCallLimit
		decisions []builtin.Decision // of mail:1 and mail:2, after search:3
		ran       []string
		answers   []string
	}{
		"of the new tool": {
			builtin.ToolCallLimit{ToolName: "search", RunLimit: new(2)},
			[]builtin.Decision{toSearch, toSearch},
			[]string{`search {"q":1}`, "search {}"},
			[]string{"tool 1 search result", "tool 2! " + blocked, "tool 3 search result"},
		},
		"of the new tool, without room": {
			builtin.ToolCallLimit{ToolName: "search", ThreadLimit: new(1)},
			[]builtin.Decision{toSearch, approve},
			[]string{`mail {"to":"bob"}`, "search {}"},
			[]string{"tool 1! " + blocked, "tool 2 mail result", "tool 3 search result"},
		},
		"of the new tool, that would end the run": {
			builtin.ToolCallLimit{ToolName: "search", RunLimit: new(1), ExitBehavior: "end"},
			[]builtin.Decision{toSearch, approve},
			[]string{`mail {"to":"bob"}`, "search {}"},
			[]string{"tool 1! " + blocked, "tool 2 mail result", "tool 3 search result"},
		},
		"of all tools, which has counted it": {
			builtin.ToolCallLimit{RunLimit: new(3)},
			[]builtin.Decision{toSearch, edit("mail", receiver("eve"))},
			[]string{`search {"q":1}`, `mail {"to":"eve"}`, "search {}"},
			[]string{"tool 1 search result", "tool 2 mail result", "tool 3 search result"},
		},
		"of the same tool, which has counted it": {
			builtin.ToolCallLimit{ToolName: "mail", RunLimit: new(2)},
			[]builtin.Decision{approve, edit("mail", receiver("eve"))},
			[]string{`mail {"to":"ann"}`, `mail {"to":"eve"}`, "search {}"},
			[]string{"tool 1 mail result", "tool 2 mail result", "tool 3 search result"},
		},
	} {
		for order, middleware := range map[string][]host.Middleware{
			"outside": {test.limit, reviewing("mail")}, "inside": {reviewing("mail"), test.limit},
		} {
			t.Run(name+" "+order, func(t *testing.T) {
				t.Parallel()
				d := newDesk(middleware, mailTo("1", "ann"), mailTo("2", "bob"), abi.Call("3", "search", nil))
				d.start(t)
				result := d.finish(t, decide(test.decisions...))
				require.Equal(t, test.ran, d.ran)
				require.Equal(t, test.answers, lines(result.Messages)[2:5])
			})
		}
	}
}

func TestAnEditedCallBeyondALimitCanFailTheRun(t *testing.T) {
	t.Parallel()
	limit := builtin.ToolCallLimit{ToolName: "search", RunLimit: new(0), ExitBehavior: "error"}
	d := newDesk([]host.Middleware{limit, reviewing("mail")}, mailTo("1", "ann"))
	d.start(t)
	_, err := d.answer(t, decide(edit("search", document{})))
	var exceeded *host.LimitError
	require.ErrorAs(t, err, &exceeded)
	require.Equal(t, "'search' tool call limit reached: run limit exceeded (1/0 calls).", exceeded.Message)
	require.Empty(t, d.ran)
}

// What was edited counts in the thread too, once.
func TestEditedCallsOfAThread(t *testing.T) {
	t.Parallel()
	search := scripted.CallTools(abi.Call("1", "search", nil))
	d := newLongDesk([]host.Middleware{builtin.ToolCallLimit{ToolName: "search", ThreadLimit: new(2)}, reviewing("mail")},
		scripted.CallTools(mailTo("1", "ann")), scripted.Say("done"), search, search, scripted.Say("done"))
	d.start(t)
	d.finish(t, decide(edit("search", document{})))
	result := d.start(t)
	require.Equal(t, host.Completed, result.Status)
	require.Len(t, d.ran, 2)
}

// Two reviews decide about a call that both name; the later one sees what the earlier one has made of it.
func TestTwoReviews(t *testing.T) {
	t.Parallel()
	d := newDesk([]host.Middleware{reviewing("mail", "search"), reviewing("mail")}, mailTo("1", "ann"), mailTo("2", "bob"), mailTo("3", "carol"))
	d.start(t)
	require.Len(t, d.questions(t), 3)
	result, err := d.answer(t, decide(edit("search", document{"q": 1}), edit("mail", receiver("eve")), reject))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, []string{`search {"q":1}`, `mail {"to":"eve"}`}, d.questions(t))
	d.finish(t, decide(approve, approve))
	require.Equal(t, []string{`search {"q":1}`, `mail {"to":"eve"}`}, d.ran)
}

// An edit does not lead past the review of another tool, nor past one that has seen the call as it was.
func TestAnEditAfterAnotherReview(t *testing.T) {
	t.Parallel()
	d := newDesk([]host.Middleware{reviewing("mail"), reviewing("search", "mail")}, mailTo("1", "ann"), mailTo("2", "bob"), mailTo("3", "carol"))
	d.start(t)
	_, err := d.answer(t, decide(approve, approve, approve))
	require.NoError(t, err)
	require.Len(t, d.questions(t), 3)
	result, err := d.answer(t, decide(edit("search", document{}), edit("mail", receiver("eve")), approve))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, []string{"search {}", `mail {"to":"eve"}`}, d.questions(t))
	require.Equal(t, "human_in_the_loop#2.wrap_tool_call", d.asked[0].Step)
	require.Equal(t, []string{`mail {"to":"carol"}`}, d.ran)
	d.finish(t, decide(approve), decide(reject))
	require.Equal(t, []string{`mail {"to":"carol"}`, "search {}"}, d.ran)
}

// One notice stands before the result: that of who has edited the call.
func TestTheNoticeOfTwoReviews(t *testing.T) {
	t.Parallel()
	outer, inner := reviewing("mail"), reviewing("mail")
	outer.EditNotice, inner.EditNotice = new("OUTER."), new("INNER.")
	d := newDesk([]host.Middleware{outer, inner}, mailTo("1", "ann"))
	d.start(t)
	_, err := d.answer(t, decide(edit("mail", receiver("bob"))))
	require.NoError(t, err)
	result := d.finish(t, decide(approve))
	require.Equal(t, "tool 1 INNER. Executed instead: mail with arguments {\"to\":\"bob\"}.\n\nTool response:\nmail result", lines(result.Messages)[2])
}

// caller is a hook that calls a tool twice, as plugins may.
func caller(answers *[]string) host.Middleware {
	return host.BeforeAgent("caller", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		*answers = nil
		for _, to := range []string{"ann", "bob"} {
			args := wire.Map{{Key: "to", Value: wire.String(to)}}.Raw()
			answer, err := rt.CallTool(ctx, "mail", args)
			if err != nil {
				return nil, err
			}
			*answers = append(*answers, answer.Content.Text())
		}
		return nil, nil
	})
}

// Calls that hooks and tools make are reviewed where they are made, one after the other.
func TestNestedCallsAreReviewed(t *testing.T) {
	t.Parallel()
	for _, review := range []builtin.HumanInTheLoop{reviewing("mail"), alone("mail")} {
		form := func(d builtin.Decision) any {
			if review.InterruptMode == "per_call" {
				return d
			}
			return decide(d)
		}
		var seen, answers []string
		d := newLongDesk([]host.Middleware{watching(&seen), review, caller(&answers)}, scripted.Say("done"))
		result := d.start(t)
		require.Equal(t, host.Interrupted, result.Status)
		require.Equal(t, "human_in_the_loop.wrap_tool_call", d.asked[0].Step)
		require.Equal(t, []string{`mail {"to":"ann"}`}, d.questions(t))
		_, err := d.answer(t, "nonsense")
		require.Error(t, err)
		require.Empty(t, d.ran)
		result, err = d.run(t, host.Input{Resume: []host.Answer{{Value: form(edit("mail", receiver("eve")))}}})
		require.NoError(t, err)
		require.Equal(t, host.Interrupted, result.Status)
		require.Equal(t, []string{`mail {"to":"bob"}`}, d.questions(t))
		seen = nil

		d.finish(t, form(reject))

		require.Equal(t, []string{`mail {"to":"eve"}`}, d.ran, "the hook ran again from its start, and found what it had done")
		require.Equal(t, []string{`mail {"to":"eve"}`, `mail {"to":"bob"}`}, seen)
		require.Equal(t, "mail result", answers[0])
		require.Contains(t, answers[1], "User rejected the tool call for `mail` with id call-")
	}
}

// A limit counts a nested call as what it has become.
func TestAnEditedNestedCallCountsAgainstALimit(t *testing.T) {
	t.Parallel()
	var answers []string
	limit := builtin.ToolCallLimit{ToolName: "search", RunLimit: new(1)}
	d := newLongDesk([]host.Middleware{limit, reviewing("mail"), caller(&answers)}, scripted.Say("done"))
	d.start(t)
	_, err := d.answer(t, decide(edit("search", document{"q": 1})))
	require.NoError(t, err)
	d.finish(t, decide(edit("search", document{"q": 2})))
	require.Equal(t, []string{"search result", "Tool call limit exceeded. Do not call 'search' again."}, answers)
}
