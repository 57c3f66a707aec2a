package builtin

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// callReviews is what humans have decided about calls of an AI message that will be performed.
type callReviews struct {
	Message string                 `msgpack:"message"` // its id: what was decided of another message is of no account
	Calls   map[string]*callReview `msgpack:"calls"`   // by id
}

// callReview is a call that will be performed.
type callReview struct {
	Asked string   `msgpack:"asked"`          // key of the call as the model made it: a decision is for no other
	By    []string `msgpack:"by"`             // the middleware that let it pass as it is now; the first has edited it, if any has
	Name  string   `msgpack:"name,omitempty"` // of an edited call
	Args  wire.Raw `msgpack:"args,omitempty"`
}

// callReviewField is shared by all reviewers of an agent.
var callReviewField = host.NewField[callReviews]("hitl_edited_tool_calls", host.Hidden, host.Lives(host.LifetimeRun))

// callReviewsOf returns what was decided about the calls of the last AI message.
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

// of returns what was decided about a call of the model; nil if nothing was.
func (r callReviews) of(call *abi.ToolCall) *callReview {
	c := r.Calls[call.ID]
	if c == nil || c.Asked != questionKey(call) {
		return nil
	}
	return c
}

// performed returns the call that will be performed in the place of one of the model.
func (r callReviews) performed(call *abi.ToolCall) *abi.ToolCall {
	c := r.of(call)
	if c == nil || c.Name == "" {
		return call
	}
	return &abi.ToolCall{ID: call.ID, Name: c.Name, Args: c.Args}
}

// passed returns what a reviewer has let pass in the place of a call: the one that will be performed, and whether it is an
// edit of its own. It is nil if there is nothing, or if another reviewer has edited the call since.
func (r callReviews) passed(by string, call *abi.ToolCall) (performed *abi.ToolCall, edited bool) {
	c := r.of(call)
	if c == nil || !slices.Contains(c.By, by) {
		return nil, false
	}
	return r.performed(call), c.Name != "" && c.By[0] == by
}

// pass notes that a reviewer lets a call of the model pass, edited if edited is not nil.
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
