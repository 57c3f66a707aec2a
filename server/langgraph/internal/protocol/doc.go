// Package protocol translates the events of runs into those of LangGraph's newer protocol, and reads its commands. It knows nothing of HTTP: a
// [Translator] gets events in their order, those of the past too, and returns the frames that each of them leads to. The same events always
// lead to the same frames at the same places, whatever a client subscribed to, so that it can go on behind any frame.
//
// The types of the protocol are those of the package langchain-protocol 0.0.21, which is under the MIT licence.
//
// # Where to find what
//
//   - what a client can subscribe to: filter.go; where a frame is in its thread: place.go; a frame and its JSON form: frame.go
//   - the way from an event to frames: translator.go; messages: messages.go; tools: tools.go; steps: steps.go; agents that run as tools: nested.go
//   - commands and answers to them: command.go
package protocol
