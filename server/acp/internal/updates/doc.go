// Package updates translates what happens in a run to the updates of the Agent Client Protocol. It needs neither a network nor a clock.
//
// # Where to find what
//
//   - events of a run: translator.go; answers: answer.go; tool calls: toolcall.go; plans: plan.go
//   - the messages of a thread, for a client that opens it: history.go
//   - how a tool call is called and which kind it has: describe.go
package updates
