package builtin_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// One question has all calls that policies name, in their order; the others run whatever is decided.
func TestHumanInTheLoopAsksTogether(t *testing.T) {
	t.Parallel()
	d := newDesk([]host.Middleware{reviewing("mail", "search")},
		mailTo("1", "ann"), abi.Call("2", "calc", nil), abi.Call("3", "search", nil), mailTo("4", "bob"))

	result := d.start(t)

	require.Equal(t, host.Interrupted, result.Status)
	require.Len(t, d.asked, 1)
	require.Equal(t, []string{`mail {"to":"ann"}`, "search {}", `mail {"to":"bob"}`}, d.questions(t))
	require.Empty(t, d.ran)
	result = d.finish(t, decide(approve, reject, edit("mail", receiver("eve"))))
	require.Equal(t, []string{`mail {"to":"ann"}`, "calc {}", `mail {"to":"eve"}`}, d.ran)
	require.Equal(t, []string{
		"human go", "ai mail:1 calc:2 search:3 mail:4",
		"tool 3! User rejected the tool call for `search` with id 3. The tool was not executed. " +
			"Do not retry this tool call unless the user explicitly requests it.",
		"tool 1 mail result", "tool 2 calc result", "tool 4 mail result", "ai done",
	}, lines(result.Messages))
	require.JSONEq(t, `{"to":"bob"}`, result.Messages.At(1).ToolCalls[3].Args.JSON(), "the model's message stays as it is")
	require.Empty(t, result.State, "what was decided is hidden")
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		decision builtin.Decision
		ran      []string
		answer   string
	}{
		"approve":          {approve, []string{`mail {"to":"ann"}`}, "tool 1 mail result"},
		"edit":             {edit("mail", receiver("bob")), []string{`mail {"to":"bob"}`}, "tool 1 mail result"},
		"edit of the tool": {edit("search", map[string]any{"q": 1}), []string{`search {"q":1}`}, "tool 1 search result"},
		"edit of nothing":  {edit("mail", receiver("ann")), []string{`mail {"to":"ann"}`}, "tool 1 mail result"},
		"reject": {reject, nil, "tool 1! User rejected the tool call for `mail` with id 1. The tool was not executed. " +
			"Do not retry this tool call unless the user explicitly requests it."},
		"reject with a reason": {
			builtin.Decision{Type: builtin.Reject, Message: "wrong person"},
			nil,
			"tool 1! User rejected the tool call for `mail` with reason: wrong person",
		},
		"respond": {builtin.Decision{Type: builtin.Respond, Message: "already sent"}, nil, "tool 1 already sent"},
	} {
		for _, mode := range []string{"batched", "per_call"} {
			if mode == "per_call" && name == "edit of the tool" {
				continue
			}
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				h := reviewing("mail")
				h.InterruptMode = mode
				d := newDesk([]host.Middleware{h}, mailTo("1", "ann"))
				d.start(t)
				require.Equal(t, []string{`mail {"to":"ann"}`}, d.questions(t))
				var answer any = decide(test.decision)
				if mode == "per_call" {
					answer = test.decision
				}

				result := d.finish(t, answer)

				require.Equal(t, test.ran, d.ran)
				require.Equal(t, []string{"human go", "ai mail:1", test.answer, "ai done"}, lines(result.Messages))
			})
		}
	}
}

// With the mode per_call each call asks for itself, and runs as soon as it may.
func TestHumanInTheLoopAsksPerCall(t *testing.T) {
	t.Parallel()
	d := newDesk([]host.Middleware{alone("mail")}, mailTo("1", "ann"), abi.Call("2", "calc", nil), mailTo("3", "bob"))
	d.start(t)
	require.Len(t, d.asked, 2)
	require.Equal(t, "3", d.asked[1].CallID)
	require.JSONEq(t, `{"type":"tool_approval","tool_call_id":"3","name":"mail","args":{"to":"bob"},
		"description":"Tool execution requires approval\n\nTool: mail\nArgs: {\"to\":\"bob\"}"}`, d.asked[1].Value.JSON())
	require.Equal(t, []string{"calc {}"}, d.ran, "it needs no review")

	result, err := d.run(t, host.Input{Resume: []host.Answer{{Interrupt: d.asked[1].ID, Value: approve}}})

	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, []string{`mail {"to":"ann"}`}, d.questions(t))
	require.Equal(t, []string{"calc {}", `mail {"to":"bob"}`}, d.ran)
	result = d.finish(t, reject)
	require.Len(t, d.ran, 2)
	require.Equal(t, []string{"tool 2 calc result", "tool 3 mail result", "ai done"}, lines(result.Messages)[3:])
}

// The question says which decisions the policy allows, unless it allows all.
func TestHumanInTheLoopSaysWhatItAllowsPerCall(t *testing.T) {
	t.Parallel()
	h := alone("mail")
	h.InterruptOn["mail"] = builtin.ReviewPolicy{AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Reject}, Description: "Sends."}
	d := newDesk([]host.Middleware{h}, mailTo("1", "ann"))
	d.start(t)
	require.JSONEq(t, `{"type":"tool_approval","tool_call_id":"1","name":"mail","args":{"to":"ann"},"description":"Sends.",
		"allowed_decisions":["approve","reject"]}`, d.asked[0].Value.JSON())
	d.finish(t, reject)
	require.Empty(t, d.ran)
}

func TestEditNotice(t *testing.T) {
	t.Parallel()
	const usual = "Note: a human reviewer replaced this tool call before it ran. The call recorded in your message is the one you " +
		"produced, not the one that executed. This was intentional and authorized. Do not re-issue your original call."
	image := abi.Blocks(abi.TextBlock("seen"), abi.TextBlock("again"))
	for name, test := range map[string]struct {
		notice *string
		result abi.Content
		want   abi.Content
	}{
		"usual":      {nil, abi.Text("sent"), abi.Text(usual + ` Executed instead: mail with arguments {"cc":[],"to":"bob"}.` + "\n\nTool response:\nsent")},
		"own":        {new("EDITED."), abi.Text("sent"), abi.Text(`EDITED. Executed instead: mail with arguments {"cc":[],"to":"bob"}.` + "\n\nTool response:\nsent")},
		"no content": {new("EDITED."), abi.Text(""), abi.Text(`EDITED. Executed instead: mail with arguments {"cc":[],"to":"bob"}.`)},
		"blocks": {new("EDITED."), image, abi.Blocks(
			abi.TextBlock(`EDITED. Executed instead: mail with arguments {"cc":[],"to":"bob"}.`+"\n\nTool response:"),
			abi.TextBlock("seen"), abi.TextBlock("again"),
		)},
		"none": {new(""), abi.Text("sent"), abi.Text("sent")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := reviewing("mail")
			h.EditNotice = test.notice
			says := host.WrapToolCall("says", func(
				_ context.Context, _ *host.Runtime, req *host.ToolRequest, _ host.ToolHandler,
			) (*abi.Message, *host.Update, error) {
				m := abi.ToolResult(req.Call, "")
				m.Content = test.result
				return &m, nil, nil
			})
			d := newDesk([]host.Middleware{h, says}, mailTo("1", "ann"), mailTo("2", "carol"))
			d.start(t)

			result := d.finish(t, decide(edit("mail", map[string]any{"to": "bob", "cc": []any{}}), approve))

			require.Equal(t, test.want, result.Messages.At(2).Content)
			require.Equal(t, test.result, result.Messages.At(3).Content, "nobody has edited this one")
		})
	}
}

// A model may give calls of later answers the ids of earlier ones. An edit is for one call.
func TestAnEditIsForOneMessage(t *testing.T) {
	t.Parallel()
	d := newLongDesk([]host.Middleware{reviewing("mail")}, scripted.CallTools(mailTo("1", "ann")),
		scripted.CallTools(abi.Call("1", "search", nil)), scripted.CallTools(mailTo("1", "ann")), scripted.Say("done"))
	d.start(t)
	result, err := d.answer(t, decide(edit("mail", receiver("bob"))))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, []string{`mail {"to":"bob"}`, "search {}"}, d.ran)

	d.finish(t, decide(approve))

	require.Equal(t, []string{`mail {"to":"bob"}`, "search {}", `mail {"to":"ann"}`}, d.ran)
}

// What was decided is kept until the calls of another message come.
func TestWhatWasDecidedIsForgotten(t *testing.T) {
	t.Parallel()
	d := newLongDesk([]host.Middleware{reviewing("mail")}, scripted.CallTools(mailTo("1", "ann")),
		scripted.CallTools(abi.Call("2", "search", nil)), scripted.Say("done"))
	d.start(t)
	var kept []string
	in := host.Input{Thread: "t", Resume: []host.Answer{{Value: decide(edit("mail", receiver("bob")))}}}
	_, err := d.agent.RunEvents(t.Context(), in, func(e host.Event) error {
		if value := e.State.Get("hitl_edited_tool_calls"); e.Type == host.EventState && !value.IsZero() {
			kept = append(kept, value.JSON())
		}
		return nil
	})
	require.NoError(t, err)
	require.Len(t, kept, 2)
	require.Contains(t, kept[0], `"by":["human_in_the_loop"],"name":"mail"`)
	require.JSONEq(t, `{"message":"","calls":null}`, kept[1])
}

// An edit holds over failures of its call.
func TestAnEditedCallThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	fails := true
	d := newDesk([]host.Middleware{reviewing("mail"), host.WrapToolCall("flaky", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		if fails {
			return nil, nil, errors.New("no connection")
		}
		m, err := next(ctx, req)
		return m, nil, err
	})}, mailTo("1", "ann"))
	d.start(t)
	_, err := d.answer(t, decide(edit("mail", receiver("bob"))))
	require.ErrorContains(t, err, "no connection")
	fails = false

	result, err := d.run(t, host.Input{Continue: true})

	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, []string{`mail {"to":"bob"}`}, d.ran)
}

// A jump past the review does not get a call to its tool, whether the review was left out or given up.
func TestAJumpDoesNotAvoidAReview(t *testing.T) {
	t.Parallel()
	jump := &host.NodeHook{CanJumpTo: []abi.Target{abi.JumpTools}, Func: func(context.Context, *host.Runtime) (*host.Update, error) {
		return &host.Update{JumpTo: abi.JumpTools}, nil
	}}
	for _, mode := range []func(...string) builtin.HumanInTheLoop{reviewing, alone} {
		d := newDesk([]host.Middleware{mode("mail"), &hooked{"jump", host.Hooks{AfterModel: *jump}}},
			mailTo("1", "ann"), abi.Call("2", "calc", nil))
		result := d.start(t)
		require.Equal(t, host.ToolsStep, result.Next)
		require.Equal(t, []string{`mail {"to":"ann"}`}, d.questions(t))
		require.Equal(t, []string{"calc {}"}, d.ran)
	}

	given := false
	resumed := host.NodeHook{CanJumpTo: jump.CanJumpTo, Func: func(context.Context, *host.Runtime) (*host.Update, error) {
		if !given {
			return nil, nil
		}
		return &host.Update{JumpTo: abi.JumpTools}, nil
	}}
	d := newDesk([]host.Middleware{reviewing("mail"), &hooked{"jump", host.Hooks{BeforeAgent: resumed}}}, mailTo("1", "ann"))
	d.start(t)
	given = true
	result := d.start(t)
	require.Equal(t, host.Interrupted, result.Status)
	require.Equal(t, []string{`mail {"to":"ann"}`}, d.questions(t))
	require.Empty(t, d.ran)
	d.finish(t, decide(edit("search", map[string]any{})))
	require.Equal(t, []string{"search {}"}, d.ran)
}

// hooked is a middleware of any hooks.
type hooked struct {
	name  string
	hooks host.Hooks
}

func (h *hooked) Name() string { return h.name }

func (h *hooked) Hooks(context.Context, host.Env) (*host.Hooks, error) { return &h.hooks, nil }
