// Package mcp serves an agent over the Model Context Protocol, to other agents and to applications in which people use models.
//
// The server offers one tool that runs the agent: its arguments are a prompt and, to continue a conversation, the name of a
// thread. It also offers the agent's own tools under their names. A call of one of these tools is also a run, in which the
// call replaces the model's answer. Middleware therefore treats it like any tool call by the model: limits, reviews and
// redaction apply.
//
// [Prepare] adapts the agent's configuration before the agent is built, and [New] makes the server. [Server.Serve] serves over
// two streams, such as standard input and output; [Server.Handler] serves streamable HTTP.
//
// A client that wants progress receives the events of a run. A client that cancels a call stops the run. If a run asks a
// person something, the server asks the client's user if the client supports it (an elicitation); otherwise the call fails
// with an error that says how to continue. Errors are results, which the client's model can read.
//
// # Where to find what
//
//   - which tools a client sees, and who may reach the server: server.go; what a call of a tool does: task.go
//   - questions of the agent to the client's user: form.go; the client's model: model.go; progress: progress.go
package mcp
