// Package protocol translates between agenthost and AG-UI 1.0: messages in both directions, and the events of a run into those of the
// protocol. It knows nothing of HTTP: a [Translator] gets events in their order, and the same events always lead to the same frames.
//
// # Where to find what
//
//   - a frame and its JSON form: frame.go
//   - messages: message.go; the parts of their content: part.go
//   - the way from an event to frames: translator.go; the state and its changes: state.go, patch.go
//   - messages that a model is writing: writer.go; agents that run as tools: subagent.go; steps: steps.go
//   - how a run ended: end.go; what it waits for: interrupt.go; tokens: usage.go
package protocol
