package builtin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// ReviewRequest is the value of an interrupt that asks about calls. It is answered with [Decisions].
type ReviewRequest struct {
	ActionRequests []ActionRequest `msgpack:"action_requests"`
	ReviewConfigs  []ReviewConfig  `msgpack:"review_configs"` // one for each action request
}

// ActionRequest is a call that a human is asked about.
type ActionRequest struct {
	Name        string         `msgpack:"name"`
	Args        map[string]any `msgpack:"args"`
	Description string         `msgpack:"description"`
}

// ReviewConfig says which decisions about a call are permitted.
type ReviewConfig struct {
	ActionName       string         `msgpack:"action_name"`
	AllowedDecisions []DecisionType `msgpack:"allowed_decisions"`
	ArgsSchema       map[string]any `msgpack:"args_schema,omitempty"` // the schema of edited arguments, if the policy has one
}

// ToolApproval is the value of an interrupt that asks about one call with the mode per_call. It is answered with a
// [Decision].
type ToolApproval struct {
	Type        string         `msgpack:"type"` // "tool_approval"
	ToolCallID  string         `msgpack:"tool_call_id"`
	Name        string         `msgpack:"name"`
	Args        map[string]any `msgpack:"args"`
	Description string         `msgpack:"description"`
	// AllowedDecisions are the decisions that a human may make; nil: all.
	AllowedDecisions []DecisionType `msgpack:"allowed_decisions,omitempty"`
}

// askTogether asks one question about several calls, and returns the decision about each.
func (r *reviewer) askTogether(rt *host.Runtime, calls []*abi.ToolCall) ([]wire.Raw, error) {
	var request ReviewRequest
	for _, call := range calls {
		args, err := argsOf(call)
		if err != nil {
			return nil, err
		}
		p := r.policies[call.Name]
		request.ActionRequests = append(request.ActionRequests, ActionRequest{call.Name, args, p.describe(rt, call, r.prefix)})
		request.ReviewConfigs = append(request.ReviewConfigs, ReviewConfig{call.Name, p.AllowedDecisions, p.ArgsSchema})
	}
	answer, err := interrupt(rt, request, calls...)
	if err != nil {
		return nil, err
	}
	return decisionsIn(answer, len(calls))
}

// askAlone asks about one call where it runs, in the form of the mode, and returns the decision.
func (r *reviewer) askAlone(rt *host.Runtime, call *abi.ToolCall) (wire.Raw, error) {
	if !r.perCall {
		decisions, err := r.askTogether(rt, []*abi.ToolCall{call})
		if err != nil {
			return nil, err
		}
		return decisions[0], nil
	}
	args, err := argsOf(call)
	if err != nil {
		return nil, err
	}
	p := r.policies[call.Name]
	question := ToolApproval{
		Type: "tool_approval", ToolCallID: call.ID, Name: call.Name, Args: args, Description: p.describe(rt, call, r.prefix),
	}
	if slices.ContainsFunc(decisionTypes, func(t DecisionType) bool { return !slices.Contains(p.AllowedDecisions, t) }) {
		question.AllowedDecisions = p.AllowedDecisions
	}
	return interrupt(rt, question, call)
}

// decisionsIn decodes [Decisions] about this number of calls.
func decisionsIn(answer wire.Raw, calls int) ([]wire.Raw, error) {
	var given wire.Map
	if _, err := given.UnmarshalMsg(answer); err != nil || len(given) != 1 || !given.Get("decisions").IsArray() {
		return nil, refusef(`the answer to a review is {"decisions":[…]}, with a decision about each call; found %s`, answer.JSON())
	}
	decisions, _ := given.Get("decisions").Items()
	if len(decisions) != calls {
		return nil, refusef("Number of human decisions (%d) does not match number of hanging tool calls (%d).", len(decisions), calls)
	}
	return decisions, nil
}

// editIn returns the edited call in the answer to a question about one call; nil if the answer is not an edit.
func (r *reviewer) editIn(answer wire.Raw) *abi.ToolCall {
	if !r.perCall {
		decisions, err := decisionsIn(answer, 1)
		if err != nil {
			return nil
		}
		answer = decisions[0]
	}
	var decision wire.Map
	if _, err := decision.UnmarshalMsg(answer); err != nil {
		return nil
	}
	edited, err := callOf(decision.Get("edited_action"))
	if err != nil {
		return nil
	}
	return edited
}

// interrupt asks a question about calls.
func interrupt(rt *host.Runtime, question any, calls ...*abi.ToolCall) (answer wire.Raw, err error) {
	value, err := host.Encode(question)
	if err != nil {
		return nil, err
	}
	return rt.Interrupt(questionKey(calls...), value)
}

// questionKey returns the key of the question about calls. It depends on the content of the calls, so an answer cannot be
// used for other calls: outer middleware may change a call, or take another way when the run is resumed.
func questionKey(calls ...*abi.ToolCall) string {
	sum := sha256.New()
	for _, call := range calls {
		_, _ = sum.Write(wire.AppendString(wire.AppendString(nil, call.ID), call.Name))
		_, _ = sum.Write(wire.AppendBin(nil, call.Args))
	}
	return "review-" + hex.EncodeToString(sum.Sum(nil)[:8])
}

func argsOf(call *abi.ToolCall) (map[string]any, error) {
	value, err := call.Args.Value()
	if err != nil {
		return nil, fmt.Errorf("the arguments of the call %q: %w", call.ID, err)
	}
	args, _ := value.(map[string]any) // nil if the call has no arguments
	if args == nil {
		args = map[string]any{}
	}
	return args, nil
}
