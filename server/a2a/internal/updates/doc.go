// Package updates translates what happens in a run into what clients of the A2A protocol see of a task. It uses no network and no clock: times are
// those of the events.
//
// # Where to find what
//
//   - events of a run to updates of a task: translator.go
//   - a task with its updates so far: apply.go
//   - content of messages to parts, and back: parts.go
package updates
