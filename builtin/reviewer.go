package builtin

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/approval"
)

// reviewer is a [HumanInTheLoop] in its agent.
type reviewer struct {
	name     string // the name of the middleware
	logger   *slog.Logger
	policies map[string]*policy
	prefix   string
	notice   string // "" means no notice
	perCall  bool
	// inherited says that the reviewer is that of another agent, whose rules a person made for that agent's calls.
	inherited bool
}

// toolNames returns the names of the agent's tools, sorted.
func toolNames(rt *host.Runtime) []string {
	specs := rt.Tools()
	names := make([]string, len(specs))
	for i := range specs {
		names[i] = specs[i].Name
	}
	slices.Sort(names)
	return names
}

// asks reports whether a call without a review needs one.
func (r *reviewer) asks(rt *host.Runtime, call *abi.ToolCall) bool {
	p := r.policies[call.Name]
	return p != nil && p.applies(rt, call) && !r.approved(rt, p, call)
}

// approved reports whether a standing approval covers a call of the model. Calls that hooks and tools make have none.
func (r *reviewer) approved(rt *host.Runtime, p *policy, call *abi.ToolCall) bool {
	stored := rt.State().Get(approval.FieldName)
	if stored.IsZero() || r.inherited || rt.Nested() || !slices.Contains(p.AllowedDecisions, Approve) {
		return false
	}
	rules, err := approval.ReadValue(stored)
	if err != nil {
		rt.Warn(err.Error())
		return false
	}
	tools := rt.Tools()
	at := slices.IndexFunc(tools, func(spec abi.ToolSpec) bool { return spec.Name == call.Name })
	return at >= 0 && slices.ContainsFunc(rules, func(rule approval.Rule) bool {
		return rule.Covers(rt.ThreadID(), r.name, &tools[at], call)
	})
}

// approves reports whether standing approvals of a tool's calls count.
func (r *reviewer) approves(tool string) bool {
	p := r.policies[tool]
	return p != nil && slices.Contains(p.AllowedDecisions, Approve)
}

// review asks about the model's calls that are not answered yet.
func (r *reviewer) review(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	record, err := callReviewsOf(rt)
	if err != nil {
		return nil, err
	}
	messages := rt.State().Messages()
	var calls, performed []*abi.ToolCall
	for call := range messages.OpenCalls(messages.LastAI()) {
		if p := record.performed(call); r.asks(rt, p) {
			calls, performed = append(calls, call), append(performed, p)
		}
	}
	if len(calls) == 0 {
		return forget(rt, record)
	}
	decisions, err := r.askTogether(rt, performed)
	if err != nil {
		return nil, err
	}
	update := &host.Update{}
	for i, call := range calls {
		v, err := r.judge(rt, performed[i], decisions[i])
		if err != nil {
			return nil, err
		}
		if v.answer != nil {
			update.Messages = append(update.Messages, *v.answer)
			continue
		}
		record.pass(r.name, call, v.edited)
	}
	return update, callReviewField.Set(update, record)
}

// revise replaces a call by its edited form. An invalid answer ends the call here, before other middleware can handle the
// error.
func (r *reviewer) revise(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*abi.ToolCall, error) {
	if !rt.Nested() {
		record, err := callReviewsOf(rt)
		if err != nil {
			return nil, err
		}
		call = record.performed(call)
	}
	if len(rt.Answers()) == 0 || r.policies[call.Name] == nil || !rt.Answers().Has(questionKey(call)) {
		return call, nil
	}
	decision, err := r.askAlone(rt, call) // the answer is there, so this does not interrupt
	if err != nil {
		return nil, err
	}
	v, err := r.judge(rt, call, decision)
	return cmp.Or(v.edited, call), err
}

// wrap lets a reviewed call pass, and asks about a call that lacks a review.
func (r *reviewer) wrap(
	ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
) (*abi.Message, *host.Update, error) {
	v, known, err := r.decided(rt, req)
	if err == nil && !known && r.asks(rt, &req.Call) {
		v, err = r.decide(rt, &req.Call)
	}
	switch {
	case err != nil:
		return nil, nil, err
	case v.answer != nil:
		return v.answer, nil, nil
	case v.edited == nil:
		message, err := next(ctx, req)
		return message, nil, err
	}
	message, err := next(ctx, req.WithName(v.edited.Name).WithArgs(v.edited.Args)) // overrides changes by other middleware on the way
	if err != nil {
		return nil, nil, err
	}
	return r.noted(message, v.edited), nil, nil
}

// decided returns what this reviewer has decided about a call: in its review, or in an answer to its own question that
// changed another call into this one.
func (r *reviewer) decided(rt *host.Runtime, req *host.ToolRequest) (v verdict, known bool, err error) {
	if !rt.Nested() {
		record, err := callReviewsOf(rt)
		if err != nil {
			return v, false, err
		}
		performed, edited := record.passed(r.name, req.Asked)
		switch {
		case performed == nil || !sameCall(performed, req.Revised): // not decided, or an inner review has edited it since
		case edited: // it overrides what other middleware has changed since
			return verdict{edited: performed}, true, nil
		case sameCall(performed, &req.Call): // otherwise other middleware has changed what was approved
			return v, true, nil
		}
	}
	for _, pair := range rt.Answers() {
		if edited := r.editIn(pair.Value); edited != nil && sameCall(edited, &req.Call) {
			return verdict{edited: edited}, true, nil
		}
	}
	return v, false, nil
}

func sameCall(a, b *abi.ToolCall) bool { return a.Name == b.Name && a.Args.Equal(b.Args) }

// decide asks about a call without a decision.
func (r *reviewer) decide(rt *host.Runtime, call *abi.ToolCall) (verdict, error) {
	decision, err := r.askAlone(rt, call)
	if err != nil {
		return verdict{}, err
	}
	v, err := r.judge(rt, call, decision)
	if err == nil && v.edited != nil && v.edited.Name != call.Name {
		err = fmt.Errorf("the tool call %q was changed by other middleware before its review, so only its arguments can be edited", call.ID)
	}
	return v, err
}
