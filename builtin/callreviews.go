package builtin

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// callReviews are the decisions about the calls of an AI message that will run.
type callReviews struct {
	Message string                 `msgpack:"message"` // the message's id; decisions about another message do not count
	Calls   map[string]*callReview `msgpack:"calls"`   // by id of the call
}

// callReview is a reviewed call that will run.
type callReview struct {
	Asked string   `msgpack:"asked"`          // the question key of the model's original call; the decision counts for no other call
	By    []string `msgpack:"by"`             // the middleware that let the call pass in its current form; the first one has edited it, if Name is set
	Name  string   `msgpack:"name,omitempty"` // of an edited call
	Args  wire.Raw `msgpack:"args,omitempty"`
}

// callReviewField is shared by all reviewers of an agent.
var callReviewField = host.NewField[callReviews]("hitl_edited_tool_calls", host.Hidden, host.Lives(host.LifetimeRun))

// callReviewsOf returns the decisions about the calls of the last AI message.
func callReviewsOf(rt *host.Runtime) (callReviews, error) {
	messages := rt.State().Messages()
	at := messages.LastAI()
	if at < 0 {
		return callReviews{}, nil
	}
	stored, _, err := callReviewField.Get(rt.State())
	if id := messages.Entry(at).Message().ID; stored.Message != id || stored.Calls == nil {
		stored = callReviews{Message: id, Calls: map[string]*callReview{}}
	}
	return stored, err
}

// of returns the decision about a call of the model; nil if there is none.
func (r callReviews) of(call *abi.ToolCall) *callReview {
	c := r.Calls[call.ID]
	if c == nil || c.Asked != questionKey(call) {
		return nil
	}
	return c
}

// performed returns the call that runs in place of a call of the model.
func (r callReviews) performed(call *abi.ToolCall) *abi.ToolCall {
	c := r.of(call)
	if c == nil || c.Name == "" {
		return call
	}
	return &abi.ToolCall{ID: call.ID, Name: c.Name, Args: c.Args}
}

// passed returns the call that a reviewer let pass in place of a call of the model, and whether that reviewer has edited
// it. It returns nil if the reviewer has not decided, or if another reviewer has edited the call since.
func (r callReviews) passed(by string, call *abi.ToolCall) (performed *abi.ToolCall, edited bool) {
	c := r.of(call)
	if c == nil || !slices.Contains(c.By, by) {
		return nil, false
	}
	return r.performed(call), c.Name != "" && c.By[0] == by
}

// pass records that a reviewer lets a call pass. Edited is nil if the call did not change.
func (r callReviews) pass(by string, call, edited *abi.ToolCall) {
	c := r.of(call)
	if c == nil || edited != nil {
		c = &callReview{Asked: questionKey(call)}
		r.Calls[call.ID] = c
	}
	if edited != nil {
		c.Name, c.Args = edited.Name, edited.Args
	}
	c.By = append(c.By, by)
}

// forget clears what was decided about the calls of another message than the last one.
func forget(rt *host.Runtime, last callReviews) (*host.Update, error) {
	stored, _, err := callReviewField.Get(rt.State())
	if err != nil || stored.Message == "" || stored.Message == last.Message {
		return nil, err
	}
	update := &host.Update{}
	return update, callReviewField.Set(update, callReviews{})
}
