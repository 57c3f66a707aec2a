package builtin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// document is an answer as a client writes it that is not a Go program.
type document = map[string]any

func batch(decisions ...any) document { return document{"decisions": decisions} }

// onlyShort wants receivers of two letters at the most.
func onlyShort(h builtin.HumanInTheLoop) builtin.HumanInTheLoop {
	p := h.InterruptOn["mail"]
	p.ArgsSchema = document{"type": "object", "required": []any{"to"}, "properties": document{"to": document{"maxLength": 2}}}
	h.InterruptOn["mail"] = p
	return h
}

// An answer that will not do fails the run, wherever it is given; nothing runs, and another one corrects it.
func TestAnswersThatWillNotDo(t *testing.T) {
	t.Parallel()
	limited := builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{
		"mail": {AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Reject}},
	}}
	const editNeeds = `A decision of the type 'edit' needs edited_action, such as {"name":"search","args":{}}.`
	for name, test := range map[string]struct {
		review builtin.HumanInTheLoop
		answer any
		want   string
	}{
		"too few":        {reviewing("mail"), batch(), "Number of human decisions (0) does not match number of hanging tool calls (1)."},
		"too many":       {reviewing("mail"), batch(approve, approve), "Number of human decisions (2) does not match number of hanging tool calls (1)."},
		"no list":        {reviewing("mail"), approve, `the answer to a review is {"decisions":[…]}, with a decision about each call; found {"type":"approve"}`},
		"more keys":      {reviewing("mail"), document{"decisions": []any{approve}, "x": 1}, `the answer to a review is {"decisions":[…]}`},
		"text":           {reviewing("mail"), "yes", `the answer to a review is {"decisions":[…]}, with a decision about each call; found "yes"`},
		"text in a list": {reviewing("mail"), batch("approve"), `Unexpected human decision: "approve". A decision is a mapping such as {"type":"approve"}.`},
		"unknown type": {
			reviewing("mail"), batch(document{"type": "accept"}),
			`Unexpected human decision: {"type":"accept"}. Decision type 'accept' is not allowed for tool 'mail'. ` +
				`Expected one of ["approve","edit","reject","respond"] based on the tool's configuration.`,
		},
		"no type": {reviewing("mail"), batch(document{}), "Decision type '' is not allowed for tool 'mail'."},
		"disallowed type": {
			limited, batch(edit("mail", receiver("bob"))),
			`Unexpected human decision: {"edited_action":{"args":{"to":"bob"},"name":"mail"},"type":"edit"}. Decision type 'edit' is not allowed ` +
				`for tool 'mail'. Expected one of ["approve","reject"] based on the tool's configuration.`,
		},
		"misspelt key": {
			reviewing("mail"), batch(document{"type": "reject", "mesage": "no"}), "A decision of the type 'reject' has no key 'mesage'.",
		},
		"unknown key of null":       {reviewing("mail"), batch(document{"type": "approve", "note": nil}), "A decision of the type 'approve' has no key 'note'."},
		"key of another type":       {reviewing("mail"), batch(document{"type": "approve", "message": "no"}), "A decision of the type 'approve' has no key 'message'."},
		"message of no text":        {reviewing("mail"), batch(document{"type": "reject", "message": 1}), "message must be a text."},
		"respond without a message": {reviewing("mail"), batch(document{"type": "respond", "message": nil}), "A decision of the type 'respond' needs a message"},
		"edit without an action":    {reviewing("mail"), batch(document{"type": "edit"}), editNeeds},
		"edit without arguments":    {reviewing("mail"), batch(document{"type": "edit", "edited_action": document{"name": "mail"}}), editNeeds},
		"edit without a name":       {reviewing("mail"), batch(document{"type": "edit", "edited_action": document{"args": document{}}}), editNeeds},
		"edit with a misspelt key": {
			reviewing("mail"), batch(document{"type": "edit", "edited_action": document{"name": "mail", "arg": document{}}}), "edited_action has no key 'arg'.",
		},
		"edit to an unknown tool": {
			reviewing("mail"), batch(edit("ghost", document{})),
			"Reviewer edited tool call '1' to 'ghost', which is not an available tool. Available tools: calc, mail, search.",
		},
		"arguments that do not fit": {
			onlyShort(reviewing("mail")), batch(edit("mail", receiver("bob"))),
			"Reviewer edited tool call '1' to arguments that do not fit the `args_schema` of 'mail': ",
		},
		"arguments that are missing": {onlyShort(reviewing("mail")), batch(edit("mail", document{})), "to: Field required"},
		"alone, a batch":             {alone("mail"), batch(approve), "Decision type '' is not allowed for tool 'mail'."},
		"alone, another tool": {
			alone("mail"), edit("search", document{}),
			"Reviewer edited tool call '1' of 'mail' to 'search'. With the interrupt_mode per_call an edit keeps the tool.",
		},
		"alone, arguments that do not fit": {onlyShort(alone("mail")), edit("mail", receiver("bob")), "do not fit the `args_schema` of 'mail'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// what makes answers of errors is inside and outside of the review
			quiet := builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{message}"}}
			d := newDesk([]host.Middleware{quiet, test.review, quiet}, mailTo("1", "ann"))
			d.start(t)
			asked := d.asked

			_, err := d.answer(t, test.answer)

			require.ErrorContains(t, err, test.want)
			require.Empty(t, d.ran)
			_, err = d.run(t, host.Input{Continue: true})
			require.ErrorContains(t, err, test.want)
			var right any = decide(approve)
			if test.review.InterruptMode != "" {
				right = approve
			}
			result, err := d.run(t, host.Input{Resume: []host.Answer{{Interrupt: asked[0].ID, Value: right}}})
			require.NoError(t, err)
			require.Equal(t, host.Completed, result.Status)
			require.Equal(t, []string{`mail {"to":"ann"}`}, d.ran)
		})
	}
}

// Of several answers to calls that ask alone, one that will not do does not take back what has run.
func TestAnAnswerOfSeveralThatWillNotDo(t *testing.T) {
	t.Parallel()
	for _, parallel := range []int{1, 8} {
		d := newDesk([]host.Middleware{alone("mail")}, mailTo("1", "ann"), mailTo("2", "bob"))
		d.config.ToolCalls.Parallel = parallel
		d.start(t)
		asked := d.asked
		_, err := d.answer(t, approve, document{"type": "maybe"})
		require.ErrorContains(t, err, "Decision type 'maybe' is not allowed")

		result, err := d.run(t, host.Input{Resume: []host.Answer{{Interrupt: asked[1].ID, Value: reject}}})

		require.NoError(t, err)
		require.Equal(t, host.Completed, result.Status)
		require.Equal(t, []string{`mail {"to":"ann"}`}, d.ran)
	}
}

// What does not fit the tool's own parameters is told to the model, with the notice.
func TestEditedArgumentsThatTheToolRefuses(t *testing.T) {
	t.Parallel()
	h := reviewing("send")
	h.EditNotice = new("EDITED.")
	d := newDesk([]host.Middleware{h}, abi.Call("1", "send", document{"to": "ann"}))
	d.config.Tools = append(d.config.Tools, tool.Func("send", "", func(context.Context, struct {
		To string `json:"to"`
	},
	) (string, error) {
		return "sent", nil
	}))
	d.start(t)

	result := d.finish(t, decide(edit("send", document{})))

	require.Equal(t, "tool 1! EDITED. Executed instead: send with arguments {}.\n\nTool response:\n"+
		"Error invoking tool 'send' with kwargs {} with error:\n to: Field required\n Please fix the error and try again.", lines(result.Messages)[2])
}

// Null is what many clients write for a key that is not there.
func TestNullStandsForNoKey(t *testing.T) {
	t.Parallel()
	d := newLongDesk([]host.Middleware{reviewing("mail")}, scripted.CallTools(mailTo("1", "ann"), mailTo("2", "bob")), scripted.Say("done"))
	d.start(t)
	d.finish(t, batch(document{"type": "approve", "edited_action": nil, "message": nil}, document{"type": "reject", "message": nil}))
	require.Equal(t, []string{`mail {"to":"ann"}`}, d.ran)
}
