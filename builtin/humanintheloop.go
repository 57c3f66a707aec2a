package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/approval"
)

// HumanInTheLoop asks a human before tools run. After the model's answer, the run is interrupted with one [ReviewRequest]
// about all calls that its policies name, and is resumed with [Decisions], one for each call in the same order. A call runs
// unchanged (approve) or changed by the human (edit), or it is answered in place of its tool (reject, respond). In the mode
// per_call, each call is asked about as it starts, with a [ToolApproval], and the answer is one [Decision].
//
// An edit does not change the model's message; the result says what ran instead. All middleware sees the edited call, and
// tool_call_limit counts it again if its tool is another one. An invalid answer fails the run; a new answer to the same
// question corrects it.
//
// A call may reach its tool without a decision: when a hook or a tool makes it, when a jump skips the review, or when other
// middleware changes it after its review, or into a call that a policy names. The human is then asked at the tool, in the
// form of the mode. If an agent has this middleware twice and both name a call, both ask; the later one sees the call as
// the earlier one has changed it.
//
// With "always", a person at the terminal approves further calls of a tool in the same thread, with any arguments or with the same
// ones, see package approval. Such a rule counts only where the policy permits approve, for calls of the model, in the thread in
// which it was made, and as long as the tool's definition stays as it was.
//
// Behaviour and texts are those of LangChain 1.5.0's HumanInTheLoopMiddleware, with JSON in place of Python's notation.
type HumanInTheLoop struct {
	// InterruptOn is the review policy of each tool, by name. Calls of other tools need no review.
	InterruptOn map[string]ReviewPolicy `yaml:"interrupt_on"`
	// DescriptionPrefix is the beginning of the default description of a call. "": a default text.
	DescriptionPrefix string `yaml:"description_prefix"`
	// InterruptMode is "batched" (or ""), which asks once about all calls of an answer; or "per_call", which asks once about each
	// call.
	InterruptMode string `yaml:"interrupt_mode" schema:"default=batched,enum=batched|per_call"`
	// EditNotice is a text for the model at the beginning of the result of an edited call. nil: a default; "" (null in a
	// manifest): no notice.
	EditNotice *string `yaml:"edit_notice"`

	inherited bool // from another agent, whose tools this one may not have
}

var humanInTheLoopEntry = Entry{
	Name:    "human_in_the_loop",
	Summary: "asks a human before tools run",
	Example: `- human_in_the_loop:
    interrupt_on:
      send_mail: true
      search: {allowed_decisions: [approve, reject], when: {arg: q, starts_with: "site:"}}
`,
	Needs: needsSearch + needsMail,
	New:   func() host.Middleware { return &HumanInTheLoop{} },
}

// The default texts.
const (
	reviewDescription = "Tool execution requires approval"
	editNotice        = "Note: a human reviewer replaced this tool call before it ran. The call recorded in your message is the one " +
		"you produced, not the one that executed. This was intentional and authorized. Do not re-issue your original call."
)

// The modes.
const (
	modeBatched = "batched"
	modePerCall = "per_call"
)

// Name returns "human_in_the_loop".
func (h HumanInTheLoop) Name() string { return "human_in_the_loop" }

// Hooks checks the policies.
func (h HumanInTheLoop) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	if len(h.InterruptOn) == 0 {
		return nil, errors.New("interrupt_on is missing; name the tools whose calls need a review, such as {send_mail: true}")
	}
	mode := cmp.Or(h.InterruptMode, modeBatched)
	if mode != modeBatched && mode != modePerCall {
		return nil, fmt.Errorf("`interrupt_mode` must be 'batched' or 'per_call', got '%s'", h.InterruptMode)
	}
	policies, err := compilePolicies(h.InterruptOn)
	if err != nil {
		return nil, err
	}
	r := &reviewer{
		name: env.Name, logger: env.Logger, policies: policies, prefix: cmp.Or(h.DescriptionPrefix, reviewDescription),
		notice: editNotice, perCall: mode == modePerCall, inherited: h.inherited,
	}
	if h.EditNotice != nil {
		r.notice = *h.EditNotice
	}
	hooks := &host.Hooks{
		WrapToolCall: host.WrapToolHook{Func: r.wrap, Revise: r.revise},
		State:        []host.Field{callReviewField.Field},
		MayGuard:     slices.Sorted(maps.Keys(policies)),
	}
	if !h.inherited {
		hooks.Guards, hooks.Approves = guarded(policies), r.approves
		hooks.State = append(hooks.State, approval.Field())
	}
	if !r.perCall {
		hooks.AfterModel = host.NodeHook{Func: r.review}
	}
	return hooks, nil
}

// UnmarshalYAML decodes a configuration in which edit_notice may be null.
func (h *HumanInTheLoop) UnmarshalYAML(decode func(into any) error) error {
	type fields HumanInTheLoop
	given := fields{EditNotice: new(editNotice)}
	if err := decode(&given); err != nil {
		return err
	}
	if given.EditNotice == nil {
		given.EditNotice = new("")
	}
	*h = HumanInTheLoop(given)
	return nil
}
