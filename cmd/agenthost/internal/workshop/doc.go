// Package workshop keeps the calls of plugins that happen while an author changes them, and performs test calls. `agenthost dev` offers it to the studio
// through package server/dev.
//
// A [Tape] records each call as `agenthost run --record` does, in memory and up to a limit. A test call is a repetition of such a call, as
// `agenthost plugin replay` performs it, with the module that is there now and an input that a person may have edited: the recording answers what the plugin
// asks the host, so nothing outside changes. A golden case leads to a call in the same form, and can be the beginning of a test call too.
//
// # Where to find what
//
//   - which calls are kept: tape.go; what is told of them: call.go
//   - test calls: try.go; documents that a person has edited: document.go
//   - golden cases: goldencase.go; cassettes: recording.go
package workshop
