package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// DecisionType is a kind of decision about a tool call.
type DecisionType string

// The types of decisions.
const (
	Approve DecisionType = "approve" // the call runs
	Edit    DecisionType = "edit"    // an edited call runs in its place
	Reject  DecisionType = "reject"  // the call does not run, and the model learns this and the reason
	Respond DecisionType = "respond" // the call does not run, and the human's message is its result
)

// decisionTypes are all types, in the order of the reference.
var decisionTypes = []DecisionType{Approve, Edit, Reject, Respond}

// Decisions answers a [ReviewRequest]: it has one decision about each call of the request, in the same order.
type Decisions struct {
	Decisions []Decision `msgpack:"decisions"`
}

// Decision is a decision about one call. It answers a [ToolApproval].
type Decision struct {
	Type         DecisionType `msgpack:"type"`
	EditedAction *Action      `msgpack:"edited_action,omitempty"` // the edited call, for the type edit
	Message      string       `msgpack:"message,omitempty"`       // the optional reason for a reject, or the result for a respond
}

// Action is a tool call without its id.
type Action struct {
	Name string         `msgpack:"name"`
	Args map[string]any `msgpack:"args"` // must not be nil
}

// verdict is the effect of a decision: an answer, or a call that runs.
type verdict struct {
	answer *abi.Message  // the answer of a call that does not run; nil if it runs
	edited *abi.ToolCall // the call that runs instead; nil if the original runs
}

// judge checks the decision about a call.
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

// checkKeys refuses a decision with an unknown key, so that a misspelt key is not ignored, or without a required key. Null
// means that a key is not set.
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

// rejection returns the text that tells the model about a rejected call.
func rejection(call *abi.ToolCall, reason string) string {
	if reason != "" {
		return "User rejected the tool call for `" + call.Name + "` with reason: " + reason
	}
	return "User rejected the tool call for `" + call.Name + "` with id " + call.ID + ". The tool was not executed. " +
		"Do not retry this tool call unless the user explicitly requests it."
}

// edit returns the call of an edit.
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

// callOf decodes an action as a call without an id.
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

// checkTool refuses an edit that changes the tool to one that the agent does not have, or that must not change the tool.
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

// refusal is an invalid answer. Its texts are sentences, as LangChain's are.
type refusal string

func (r refusal) Error() string { return string(r) }

func refusef(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// unexpected returns the error of an invalid decision.
func unexpected(decision wire.Raw, why string) error {
	return refusef("Unexpected human decision: %s. %s", wire.Raw(wire.Canonicalized(decision)).JSON(), why)
}

// jsonOf returns a list of names as JSON.
func jsonOf(types []DecisionType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	raw, _ := wire.Of(names) // a list of strings can always be encoded
	return raw.JSON()
}
