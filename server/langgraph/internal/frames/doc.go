// Package frames translates the events of a run into the frames of LangGraph's streams. It knows nothing of HTTP: a [Translator] gets events
// in their order, those of the past too, and returns the frames that each of them leads to. The same events always lead to the same frames,
// whoever asks and whenever, so that a client can go on behind any frame.
//
// # Where to find what
//
//   - what a client can ask for: mode.go
//   - the way from an event to frames: translator.go; the step that is being performed: task.go
//   - the state as it is after each event: content.go
//   - the kinds of frames: messages.go, checkpoints.go, and chains.go for the mode events; agents that run as tools: nested.go
package frames
