package frames

import "slices"

// Mode is what a client wants to see of a run: LangGraph's stream_mode.
type Mode string

// The modes.
const (
	Values        Mode = "values"         // the state after the input and after each step that changed it
	Updates       Mode = "updates"        // what each step changed
	Messages      Mode = "messages"       // messages, as far as they are written
	MessagesTuple Mode = "messages-tuple" // pieces of messages, each with its metadata
	Custom        Mode = "custom"         // what hooks and tools emit
	Tasks         Mode = "tasks"          // when steps begin and end
	Checkpoints   Mode = "checkpoints"    // what is saved
	Debug         Mode = "debug"          // tasks and checkpoints
	Events        Mode = "events"         // LangChain's astream_events
)

// Modes lists all modes.
func Modes() []Mode {
	return []Mode{Values, Updates, Messages, MessagesTuple, Custom, Tasks, Checkpoints, Debug, Events}
}

// NeedState reports whether frames of some modes have more of a thread's state than what its events say.
func NeedState(modes []Mode) bool {
	return slices.ContainsFunc(modes, func(m Mode) bool { return m != Updates && m != Messages && m != MessagesTuple && m != Custom })
}

// Valid reports whether there is such a mode.
func (m Mode) Valid() bool { return slices.Contains(Modes(), m) }
