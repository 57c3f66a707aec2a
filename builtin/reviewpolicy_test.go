package builtin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// reviewBy reviews mails by one policy.
func reviewBy(change func(p *builtin.ReviewPolicy)) builtin.HumanInTheLoop {
	h := reviewing()
	p := builtin.AnyDecision()
	change(&p)
	h.InterruptOn["mail"] = p
	return h
}

func TestReviewPolicies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(p *builtin.ReviewPolicy)
		asked  []string
	}{
		"all": {func(*builtin.ReviewPolicy) {}, []string{`mail {"n":2,"to":"ann"}`, `mail {"n":1,"to":"bob"}`, "mail {}"}},
		"by a function": {func(p *builtin.ReviewPolicy) {
			p.WhenFunc = func(rt *host.Runtime, call *abi.ToolCall) bool {
				return rt.State().Messages().Len() == 2 && call.ID == "2"
			}
		}, []string{`mail {"n":1,"to":"bob"}`}},
		"equal text": {func(p *builtin.ReviewPolicy) {
			p.When = &builtin.ArgCondition{Arg: "to", Equals: "ann"}
		}, []string{`mail {"n":2,"to":"ann"}`}},
		"equal number": {func(p *builtin.ReviewPolicy) {
			p.When = &builtin.ArgCondition{Arg: "n", Equals: 1.0}
		}, []string{`mail {"n":1,"to":"bob"}`}},
		"another type": {func(p *builtin.ReviewPolicy) {
			p.When = &builtin.ArgCondition{Arg: "n", Equals: "1"}
		}, nil},
		"beginning": {func(p *builtin.ReviewPolicy) {
			p.When = &builtin.ArgCondition{Arg: "to", StartsWith: "a"}
		}, []string{`mail {"n":2,"to":"ann"}`}},
		"beginning of no text": {func(p *builtin.ReviewPolicy) {
			p.When = &builtin.ArgCondition{Arg: "n", StartsWith: "1"}
		}, nil},
	} {
		for _, mode := range []string{"", "batched", "per_call"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				h := reviewBy(test.change)
				h.InterruptMode = mode
				d := newDesk([]host.Middleware{h}, abi.Call("1", "mail", document{"to": "ann", "n": 2}),
					abi.Call("2", "mail", document{"to": "bob", "n": 1}), abi.Call("3", "mail", nil))
				result := d.start(t)
				require.Equal(t, test.asked, d.questions(t))
				if test.asked == nil {
					require.Equal(t, host.Completed, result.Status)
					require.Len(t, d.ran, 3)
				}
			})
		}
	}
}

func TestDescriptions(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(h *builtin.HumanInTheLoop){
		"Tool execution requires approval\n\nTool: mail\nArgs: {\"a\":[1,true],\"to\":\"ann\"}": func(*builtin.HumanInTheLoop) {},
		"Look:\n\nTool: mail\nArgs: {\"a\":[1,true],\"to\":\"ann\"}":                            func(h *builtin.HumanInTheLoop) { h.DescriptionPrefix = "Look:" },
		"It sends a mail.": func(h *builtin.HumanInTheLoop) {
			*h = reviewBy(func(p *builtin.ReviewPolicy) { p.Description = "It sends a mail." })
		},
		"mail of 2 messages": func(h *builtin.HumanInTheLoop) {
			*h = reviewBy(func(p *builtin.ReviewPolicy) {
				p.DescriptionFunc = func(rt *host.Runtime, call *abi.ToolCall) string {
					require.Equal(t, 2, rt.State().Messages().Len())
					return call.Name + " of 2 messages"
				}
			})
		},
	} {
		h := reviewing("mail")
		change(&h)
		d := newDesk([]host.Middleware{h}, abi.Call("1", "mail", document{"to": "ann", "a": []any{1, true}}))
		d.start(t)
		var request builtin.ReviewRequest
		require.NoError(t, host.Decode(d.asked[0].Value, &request))
		require.Equal(t, want, request.ActionRequests[0].Description)
	}
}

// The reviewer's program learns what edited arguments must fit.
func TestTheSchemaOfArgumentsIsShown(t *testing.T) {
	t.Parallel()
	d := newDesk([]host.Middleware{onlyShort(reviewing("mail"))}, mailTo("1", "ann"))
	d.start(t)
	require.Contains(t, d.asked[0].Value.JSON(), `"args_schema":{"properties":{"to":{"maxLength":2}},"required":["to"],"type":"object"}`)
	d.finish(t, decide(edit("mail", receiver("al"))))
	require.Equal(t, []string{`mail {"to":"al"}`}, d.ran)
}

func TestReviewConfiguration(t *testing.T) {
	t.Parallel()
	const invalid = "Invalid `interrupt_on` config for tool 'mail': "
	for _, test := range []struct {
		want   string
		change func(p *builtin.ReviewPolicy)
	}{
		{
			"`allowed_decisions` must be a non-empty list of decision types (e.g. ['approve', 'reject'])",
			func(p *builtin.ReviewPolicy) { p.AllowedDecisions = nil },
		},
		{
			"`allowed_decisions` has 'accept'; use some of [\"approve\",\"edit\",\"reject\",\"respond\"]",
			func(p *builtin.ReviewPolicy) { p.AllowedDecisions = []builtin.DecisionType{"approve", "accept"} },
		},
		{"`args_schema`: ", func(p *builtin.ReviewPolicy) { p.ArgsSchema = document{"properties": 1} }},
		{"`args_schema`: ", func(p *builtin.ReviewPolicy) { p.ArgsSchema = document{"type": func() {}} }},
		{"`when` needs `arg`, the name of an argument", func(p *builtin.ReviewPolicy) { p.When = &builtin.ArgCondition{Equals: 1} }},
		{"`when` needs one of `equals` and `starts_with`", func(p *builtin.ReviewPolicy) { p.When = &builtin.ArgCondition{Arg: "a"} }},
		{"`when` needs one of `equals` and `starts_with`", func(p *builtin.ReviewPolicy) {
			p.When = &builtin.ArgCondition{Arg: "a", Equals: 1, StartsWith: "a"}
		}},
		{"`when`: `equals`: ", func(p *builtin.ReviewPolicy) { p.When = &builtin.ArgCondition{Arg: "a", Equals: func() {}} }},
		{"both When and WhenFunc are set; use one of them", func(p *builtin.ReviewPolicy) {
			p.When, p.WhenFunc = &builtin.ArgCondition{Arg: "a", Equals: 1}, func(*host.Runtime, *abi.ToolCall) bool { return true }
		}},
		{"both Description and DescriptionFunc are set; use one of them", func(p *builtin.ReviewPolicy) {
			p.Description, p.DescriptionFunc = "a", func(*host.Runtime, *abi.ToolCall) string { return "b" }
		}},
	} {
		_, err := reviewBy(test.change).Hooks(t.Context(), host.Env{})
		require.ErrorContains(t, err, invalid+test.want)
	}

	_, err := builtin.HumanInTheLoop{}.Hooks(t.Context(), host.Env{})
	require.EqualError(t, err, "interrupt_on is missing; name the tools whose calls need a review, such as {send_mail: true}")
	h := reviewing("mail")
	h.InterruptMode = "never"
	_, err = h.Hooks(t.Context(), host.Env{})
	require.EqualError(t, err, "`interrupt_mode` must be 'batched' or 'per_call', got 'never'")
}

func TestReviewConfigurationInAManifest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{interrupt_on: {mail: 3}}":                                    "interrupt_on.mail: a policy must be true, false or {allowed_decisions: [approve, reject]}",
		"{interrupt_on: {mail: }}":                                     "interrupt_on.mail: a value is missing",
		"{interrupt_on: {mail: {allowed_decision: [approve]}}}":        `interrupt_on.mail: unknown key "allowed_decision"`,
		"{interrupt_on: {mail: {when: {equals: 1}}}}":                  `interrupt_on.mail.when: the key "arg" is missing`,
		"{interrupt_on: {mail: {allowed_decisions: approve}}}":         "interrupt_on.mail.allowed_decisions: expected a list",
		"{interrupt_on: [mail]}":                                       "interrupt_on: expected a mapping",
		"{interrupt_on: {mail: true}, edit_notices: a}":                `unknown key "edit_notices"`,
		"{interrupt_on: {mail: true}, edit_notice: [a]}":               "edit_notice: expected a string",
		"{interrupt_on: {mail: true}, interrupt_on: {search: true}}":   `key "interrupt_on" is given twice`,
		"{interrupt_on: {mail: {allowed_decisions: [{a: 1}]}}}":        "interrupt_on.mail.allowed_decisions[0]: expected a string",
		"{interrupt_on: {mail: {args_schema: [1], description: [a]}}}": "interrupt_on.mail.args_schema: expected a mapping",
	} {
		err := strictyaml.Decode("agenthost.yaml", []byte(text), &builtin.HumanInTheLoop{})
		require.ErrorContains(t, err, want, text)
	}
}

// Without the key an edit is noted with the usual text, with null or an empty text it is not.
func TestEditNoticeInAManifest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{interrupt_on: {mail: true}}":                       "Note: a human reviewer replaced this tool call before it ran.",
		"{interrupt_on: {mail: true}, edit_notice: null}":    "mail result",
		`{interrupt_on: {mail: true}, edit_notice: ""}`:      "mail result",
		"{interrupt_on: {mail: true}, edit_notice: EDITED.}": "EDITED. Executed instead:",
	} {
		var h builtin.HumanInTheLoop
		require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(text), &h), text)
		d := newDesk([]host.Middleware{h}, mailTo("1", "ann"))
		d.start(t)
		result := d.finish(t, decide(edit("mail", receiver("bob"))))
		answer := result.Messages.At(2).Content.Text()
		require.True(t, strings.HasPrefix(answer, want), answer)
	}
}

// A policy that is false is the same as none.
func TestAToolWithoutReview(t *testing.T) {
	t.Parallel()
	var h builtin.HumanInTheLoop
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte("interrupt_on: {mail: false, search: true}"), &h))
	d := newDesk([]host.Middleware{h}, mailTo("1", "ann"))
	result := d.start(t)
	require.Equal(t, host.Completed, result.Status)
	require.Len(t, d.ran, 1)
}

// A policy for a tool that the agent does not have protects nothing, so it is an error unless the policy is optional.
func TestPoliciesForToolsThatDoNotExist(t *testing.T) {
	t.Parallel()
	misspelt := reviewing("mails")
	d := newDesk([]host.Middleware{misspelt}, mailTo("1", "ann"))
	_, err := host.New(d.config)
	require.EqualError(t, err, `middleware "human_in_the_loop": it guards the tool "mails", which the agent does not have; did you mean "mail"? `+
		`It has [mail, search, calc]; if the tool appears only while the agent runs, set optional: true (in human_in_the_loop: in the tool's policy)`)

	optional := builtin.AnyDecision()
	optional.Optional = true
	d = newDesk([]host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"mails": optional}}}, mailTo("1", "ann"))
	require.Equal(t, host.Completed, d.start(t).Status)
}
