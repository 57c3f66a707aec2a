package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// DecisionType is what a human may decide about a tool call.
type DecisionType string

// The types of decisions.
const (
	Approve DecisionType = "approve" // the call runs
	Edit    DecisionType = "edit"    // another call runs in its place
	Reject  DecisionType = "reject"  // it does not run; the model is told so, and why
	Respond DecisionType = "respond" // it does not run; what the human says is its result
)

// decisionTypes are all of them, in the order of the reference.
var decisionTypes = []DecisionType{Approve, Edit, Reject, Respond}

// Decisions answers a [ReviewRequest]: a decision about each of its calls, in their order.
type Decisions struct {
	Decisions []Decision `msgpack:"decisions"`
}

// Decision is a decision about one call. It answers a [ToolApproval].
type Decision struct {
	Type         DecisionType `msgpack:"type"`
	EditedAction *Action      `msgpack:"edited_action,omitempty"` // of an edit: what to do
	Message      string       `msgpack:"message,omitempty"`       // of a reject: why, optional; of a respond: the result
}

// Action is a tool call without its id.
type Action struct {
	Name string         `msgpack:"name"`
	Args map[string]any `msgpack:"args"` // not nil
}

// verdict is what a decision comes to: an answer, or a call to perform.
type verdict struct {
	answer *abi.Message  // of a call that does not run; nil: it does
	edited *abi.ToolCall // that runs in its place; nil: itself
}

// judge reads the decision about a call.
func (r *reviewer) judge(rt *host.Runtime, call *abi.ToolCall, raw wire.Raw) (verdict, error) {
	p := r.policies[call.Name]
	var given wire.Map
	if _, err := given.UnmarshalMsg(raw); err != nil {
		return verdict{}, unexpected(raw, `A decision is a mapping such as {"type":"approve"}.`)
	}
	name, _ := given.Get("type").AsString()
	if !slices.Contains(p.AllowedDecisions, DecisionType(name)) {
		return verdict{}, unexpected(raw, fmt.Sprintf(
			"Decision type '%s' is not allowed for tool '%s'. Expected one of %s based on the tool's configuration.",
			name, call.Name, jsonOf(p.AllowedDecisions)))
	}
	if err := checkKeys(raw, DecisionType(name)); err != nil {
		return verdict{}, err
	}
	message, _ := given.Get("message").AsString()
	switch DecisionType(name) {
	case Edit:
		edited, err := r.edit(rt, call, raw, given.Get("edited_action"))
		return verdict{edited: edited}, err
	case Reject:
		return verdict{answer: new(abi.ToolFailure(*call, rejection(call, message)))}, nil
	case Respond:
		return verdict{answer: new(abi.ToolResult(*call, message))}, nil
	default:
		return verdict{}, nil
	}
}

// checkKeys refuses a decision with a key that its type does not have, or without one that it needs: what is misspelt must
// not be lost. Null stands for a key that is not there.
func checkKeys(decision wire.Raw, t DecisionType) error {
	hasMessage := false
	for key, value := range decision.Pairs() {
		switch key := string(key); {
		case key == "type", key == "edited_action" && (t == Edit || value.IsNil()), key == "message" && value.IsNil():
		case key == "message" && (t == Reject || t == Respond):
			if _, ok := value.AsString(); !ok {
				return unexpected(decision, "message must be a text.")
			}
			hasMessage = true
		default:
			return unexpected(decision, fmt.Sprintf("A decision of the type '%s' has no key '%s'.", t, key))
		}
	}
	if t == Respond && !hasMessage {
		return unexpected(decision, "A decision of the type 'respond' needs a message, which is the result of the call.")
	}
	return nil
}

// rejection is what the model is told of a call that a human does not want.
func rejection(call *abi.ToolCall, reason string) string {
	if reason != "" {
		return "User rejected the tool call for `" + call.Name + "` with reason: " + reason
	}
	return "User rejected the tool call for `" + call.Name + "` with id " + call.ID + ". The tool was not executed. " +
		"Do not retry this tool call unless the user explicitly requests it."
}

// edit returns the call that a decision puts in the place of another.
func (r *reviewer) edit(rt *host.Runtime, call *abi.ToolCall, decision, action wire.Raw) (*abi.ToolCall, error) {
	edited, err := callOf(action)
	if err != nil {
		return nil, unexpected(decision, err.Error())
	}
	edited.ID = call.ID
	if err := r.checkTool(rt, call, edited.Name); err != nil {
		return nil, err
	}
	if p := r.policies[edited.Name]; p != nil {
		if err := p.schema.Validate(edited.Args); err != nil {
			return nil, refusef("Reviewer edited tool call '%s' to arguments that do not fit the `args_schema` of '%s': %s",
				call.ID, edited.Name, err)
		}
	}
	return edited, nil
}

// callOf reads an action as a call without an id.
func callOf(action wire.Raw) (*abi.ToolCall, error) {
	call := &abi.ToolCall{}
	for key, value := range action.Pairs() {
		switch string(key) {
		case "name":
			call.Name, _ = value.AsString()
		case "args":
			call.Args = wire.Canonicalized(value)
		default:
			return nil, refusef("edited_action has no key '%s'.", key)
		}
	}
	if call.Name == "" || !call.Args.IsMap() {
		return nil, refusef(`A decision of the type 'edit' needs edited_action, such as {"name":"search","args":{}}.`)
	}
	return call, nil
}

// checkTool refuses the tool of an edited call if the agent does not have it, or if it must stay the same.
func (r *reviewer) checkTool(rt *host.Runtime, call *abi.ToolCall, name string) error {
	if name == call.Name {
		return nil
	}
	if r.perCall {
		return refusef("Reviewer edited tool call '%s' of '%s' to '%s'. With the interrupt_mode per_call an edit keeps the tool.",
			call.ID, call.Name, name)
	}
	available := toolNames(rt)
	if slices.Contains(available, name) {
		return nil
	}
	return refusef("Reviewer edited tool call '%s' to '%s', which is not an available tool. Available tools: %s.",
		call.ID, name, strings.Join(available, ", "))
}

// refusal says what is wrong with an answer. Its texts are sentences, as LangChain's are.
type refusal string

func (r refusal) Error() string { return string(r) }

func refusef(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// unexpected says what is wrong with a decision.
func unexpected(decision wire.Raw, why string) error {
	return refusef("Unexpected human decision: %s. %s", wire.Raw(wire.Canonicalized(decision)).JSON(), why)
}

// jsonOf is a list of names as JSON.
func jsonOf(types []DecisionType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	raw, _ := wire.Of(names) // names are a type that it knows
	return raw.JSON()
}
