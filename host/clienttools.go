package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// ClientTool is a tool that the caller of a run performs, see [Input.ClientTools].
type ClientTool = checkpoint.ClientTool

// clientTool is a client tool in a run. Calling it asks the client for the result.
type clientTool struct{ spec abi.ToolSpec }

func (t *clientTool) Spec() abi.ToolSpec { return t.spec }

// Call asks for the result, or returns the one that was given.
func (t *clientTool) Call(_ context.Context, rt *Runtime, call *abi.ToolCall) (*ToolOutput, error) {
	if rt.nested != "" {
		return nil, errors.New("it is a tool of the client, which only the model can call")
	}
	answer, err := rt.Interrupt(clientCallKey, wire.Map{
		{Key: "args", Value: call.Args},
		{Key: "name", Value: wire.String(call.Name)},
		{Key: "type", Value: wire.String(clientCallKey)},
	}.Raw())
	if err != nil {
		return nil, err
	}
	result, err := readClientResult(answer)
	if err != nil {
		return nil, err
	}
	out := &ToolOutput{Content: result.Content, Failed: result.Failed, id: result.ID}
	if _, taken := rt.State().Messages().Find(out.id); taken {
		out.id = ""
	}
	return out, nil
}

// clientCallKey is the key, and the type in the value, of the question that a call of a client tool asks.
const clientCallKey = "client_tool"

// ClientCall is a call of a client tool that waits for its result.
type ClientCall struct {
	ID   string // of the call
	Name string
	Args wire.Raw // as the middleware let them pass; they fit the parameters of the tool
}

// ClientCall returns the call of a client tool whose result answers the interrupt; ok is false if it asks for something else.
func (i *Interrupt) ClientCall() (call ClientCall, ok bool) {
	var value wire.Map
	if i.Step != ToolsStep || i.Key != clientCallKey || i.CallID == "" || !i.Value.IsMap() {
		return call, false
	}
	if _, err := value.UnmarshalMsg(i.Value); err != nil {
		return call, false
	}
	name, ok := value.Get("name").AsString()
	return ClientCall{ID: i.CallID, Name: name, Args: value.Get("args")}, ok
}

// ClientResult is the result of a client tool.
type ClientResult struct {
	ID      string // of the tool message; "", or one that the thread has: the run gives it another
	Content abi.Content
	Failed  bool // the message gets the status "error"
}

// Answer returns the result as the value of an [Answer].
func (r *ClientResult) Answer() (wire.Raw, error) {
	content, err := r.Content.MarshalMsg(nil)
	if err != nil {
		return nil, err
	}
	value := wire.Map{{Key: "content", Value: content}, {Key: "type", Value: wire.String(string(abi.RoleTool))}}
	if r.ID != "" {
		value.Set("id", wire.String(r.ID))
	}
	if r.Failed {
		value.Set("status", wire.String(abi.StatusError))
	}
	return value.Raw(), nil
}

// readClientResult reads an answer: a tool message {"type": "tool", "content": …, "id": …, "status": …}, a text, or any other
// value, whose JSON is the content.
func readClientResult(answer wire.Raw) (*ClientResult, error) {
	if text, ok := answer.AsString(); ok {
		return &ClientResult{Content: abi.Text(text)}, nil
	}
	var value wire.Map
	if answer.IsMap() {
		if _, err := value.UnmarshalMsg(answer); err != nil {
			return nil, err
		}
	}
	if kind, _ := value.Get("type").AsString(); kind != string(abi.RoleTool) || !value.Has("content") {
		return &ClientResult{Content: abi.Text(answer.JSON())}, nil
	}
	out := &ClientResult{}
	if _, err := out.Content.UnmarshalMsg(value.Get("content")); err != nil {
		return nil, fmt.Errorf("the content of the tool message: %w", err)
	}
	out.ID, _ = value.Get("id").AsString()
	status, _ := value.Get("status").AsString()
	out.Failed = status == abi.StatusError
	return out, nil
}

// clientCallsOf returns the ids of the calls of client tools that wait at a checkpoint.
func clientCallsOf(c *checkpoint.Checkpoint) (ids []string) {
	for _, q := range c.Waiting() {
		if q.Key == clientCallKey && q.Step == ToolsStep {
			ids = append(ids, q.CallID)
		}
	}
	return ids
}

// answerUnmet answers the calls of client tools that the thread's earlier run waits for, unless the input of this one does: providers
// refuse a history with calls that nobody has answered.
func (r *run) answerUnmet() *Update {
	update, messages := &Update{}, r.state.Messages()
	at := messages.LastAI()
	if at < 0 || len(r.thread.unmet) == 0 {
		return update
	}
	for call := range messages.OpenCalls(at) {
		answers := func(m abi.Message) bool { return m.Role == abi.RoleTool && m.ToolCallID == call.ID }
		if slices.Contains(r.thread.unmet, call.ID) && !slices.ContainsFunc(r.input.Messages, answers) {
			update.Messages = append(update.Messages, abi.ToolFailure(*call, unmetText))
		}
	}
	return update
}

// unmetText answers a call of a client tool without a result.
const unmetText = "The client did not perform this tool call."
