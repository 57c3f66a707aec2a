package abi

import "github.com/agenthost/agenthost/abi/wire"

// Target is a place to which a node hook may send the run instead of the next step.
type Target string

// The targets. The empty target means no jump.
const (
	JumpModel Target = "model" // the first before_model hook, or the model
	JumpTools Target = "tools" // the unanswered tool calls of the last AI message
	JumpEnd   Target = "end"   // the first after_agent hook to run, or the end
)

// Update holds the changes that a hook or tool makes to the state. Changes of messages are applied in this order:
// overwrite or remove, then patch, then messages.
type Update struct {
	JumpTo    Target
	Messages  []Message // appended, or replacing the message of the same id
	Overwrite bool      // Messages are the whole history from now on
	Patch     []Patch
	Remove    []string // ids of messages
	State     wire.Map // new values of fields; their reducers apply
}

// IsZero reports whether the update changes nothing.
func (u *Update) IsZero() bool {
	return u == nil || (u.JumpTo == "" && !u.ChangesMessages() && len(u.State) == 0)
}

// ChangesMessages reports whether the update touches the history.
func (u *Update) ChangesMessages() bool {
	return u.Overwrite || len(u.Messages) > 0 || len(u.Patch) > 0 || len(u.Remove) > 0
}

// Update returns the state update that the result carries.
func (r *Result) Update() Update {
	return Update{
		JumpTo: Target(r.JumpTo), Messages: r.Messages, Overwrite: r.Overwrite, Patch: r.Patch, Remove: r.Remove,
		State: r.State,
	}
}
