// Package agui is the door for clients of AG-UI 1.0, such as CopilotKit: POST /agui/{agent} starts a run, and the answer is the stream of its
// events. docs/agui.md says what is supported.
//
// # Where to find what
//
//   - the door: handler.go; what it says of errors: answer.go
//   - what a client sends: input.go; ids of threads: thread.go
//   - how that becomes a run: submission.go; messages: merge.go; answers to questions: resume.go; fields: fields.go
//   - the stream of a run: stream.go; the translation: internal/protocol
package agui
