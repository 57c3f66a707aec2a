package sdk

import (
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/sdk/go/sha256"
)

// Approval asks a person about a tool call. The question is a tool_approval, as that of human_in_the_loop for each call: people see the
// tool and its arguments, and decide with `agenthost chat`, `agenthost resume` or a client of the server.
type Approval struct {
	// Description tells the person why the plugin asks; the tool and its arguments are shown anyway.
	Description string
	// Allowed are the decisions that the person may make; none: all.
	Allowed []DecisionType
}

// DecisionType is a kind of decision about a tool call.
type DecisionType string

// The types of decisions.
const (
	DecisionApprove DecisionType = "approve" // the call runs
	DecisionEdit    DecisionType = "edit"    // the call runs with other arguments
	DecisionReject  DecisionType = "reject"  // the call does not run; the model learns this and the reason
	DecisionRespond DecisionType = "respond" // the call does not run; the message becomes its result
)

// Decision is a person's decision about a tool call.
type Decision struct {
	Type    DecisionType
	Args    Map    // of an edit: the arguments to run the call with
	Message string // of a reject: the reason, or ""; of a respond: the result of the call
}

// Wrap asks about the call and does what the person decides. WrapToolCall returns what it returns. An approved call passes on to the
// inner layers.
func (a Approval) Wrap(c *ToolCall) (*Patch, *Update, error) {
	decision, err := a.Ask(c)
	if err != nil {
		return nil, nil, err
	}
	switch decision.Type {
	case DecisionEdit:
		_, err = c.Next(&CallChange{Args: decision.Args.Raw()})
		if err == ErrTooBig { //nolint:errorlint // never wrapped, and errors.Is needs reflection
			err = nil // the host passes on the reply that the plugin cannot see
		}
		return nil, nil, err
	case DecisionReject:
		return Failure(rejection(c, decision.Message)), nil, nil
	case DecisionRespond:
		return Answer(decision.Message), nil, nil
	default:
		return nil, nil, nil
	}
}

// rejection tells the model about a rejected call, in the words of human_in_the_loop.
func rejection(c *ToolCall, reason string) string {
	if reason != "" {
		return "User rejected the tool call for `" + c.Name() + "` with reason: " + reason
	}
	return "User rejected the tool call for `" + c.Name() + "` with id " + c.ID() + ". The tool was not executed. " +
		"Do not retry this tool call unless the user explicitly requests it."
}

// Ask asks about the call, and returns the decision. While there is none, the hook must return the error, as that of
// [Call.Interrupt]. The decision is about the call with exactly these arguments: if they change, Ask asks again.
func (a Approval) Ask(c *ToolCall) (*Decision, error) {
	call := c.ToolCall()
	question := Map{
		{Key: "args", Value: c.Args().Raw()},
		{Key: "description", Value: String(a.Description)},
		{Key: "name", Value: String(call.Name)},
		{Key: "tool_call_id", Value: String(call.ID)},
		{Key: "type", Value: String("tool_approval")},
	}
	if len(a.Allowed) > 0 {
		allowed := wire.AppendArrayHeader(nil, len(a.Allowed))
		for _, t := range a.Allowed {
			allowed = wire.AppendString(allowed, string(t))
		}
		question.Set("allowed_decisions", allowed)
	}
	answer, err := c.Interrupt(approvalKey(c), question.Raw())
	if err != nil {
		return nil, err
	}
	return a.read(c, answer)
}

// approvalKey depends on the content of the call, so that an answer is never used for another call.
func approvalKey(c *ToolCall) string {
	call := wire.AppendString(wire.AppendString(nil, c.ID()), c.Name())
	call = wire.AppendBin(call, c.ToolCall().Args)
	return "approval-" + sha256.Hex(string(call))[:16]
}

// read reads the answer, which may be anything.
func (a Approval) read(c *ToolCall, answer Raw) (*Decision, error) {
	var given Map
	if !answer.IsMap() {
		return nil, undecided(`it is a map such as {"type":"approve"}`)
	}
	if _, err := given.UnmarshalMsg(answer); err != nil {
		return nil, err
	}
	name, _ := given.Get("type").AsString()
	d := &Decision{Type: DecisionType(name)}
	known := []DecisionType{DecisionApprove, DecisionEdit, DecisionReject, DecisionRespond}
	if !slices.Contains(known, d.Type) || len(a.Allowed) > 0 && !slices.Contains(a.Allowed, d.Type) {
		return nil, undecided(`the question does not allow the type "` + name + `"`)
	}
	message, hasMessage := given.Get("message").AsString()
	d.Message = message
	if d.Type == DecisionRespond && !hasMessage {
		return nil, undecided("a respond needs a message, which is the result of the call")
	}
	if d.Type == DecisionEdit {
		edited := given.Get("edited_action")
		tool, _ := edited.Get("name").AsString()
		if args := edited.Get("args"); tool != c.Name() || !args.IsMap() || DecodeDynamic(&d.Args, "args", args) != nil {
			return nil, undecided(`an edit needs {"edited_action":{"name":"` + c.Name() + `","args":{…}}}`)
		}
	}
	return d, nil
}

func undecided(why string) error {
	return &Error{Type: "invalid_decision", Message: "the answer is not a decision about the tool call: " + why}
}
