// Package mcp serves agents over the Model Context Protocol, to other agents and to applications in which people use models.
//
// A [Door] serves all agents of a server over streamable HTTP, with the owners, scopes and limits of the server: each agent is a tool, a call of which is
// a run of the owner, and the owner's threads are resources. A [Server] serves one agent and its tools without a server, over the standard input and output
// of a command, or to everybody who reaches an address.
//
// In both, a client that wants progress receives the events of a run, and a client that cancels a call stops the run. If a run asks a
// person something, the client's user is asked if the client supports it (an elicitation); otherwise the call fails with an error that says how to
// continue. Errors are results, which the client's model can read.
//
// # The door
//
// Each session of a client has a server of the SDK for itself, so no message can reach somebody else. In the versions of the protocol without sessions, each
// request has one. A session belongs to the credential with which it was opened; to others it does not exist.
//
// # The server of an agent
//
// The tool of the agent takes a prompt and, to continue a conversation, the name of a thread. The agent's own tools are offered under their names. A call of
// one of them is also a run, in which the call replaces the model's answer. Middleware therefore treats it like any tool call by the model: limits, reviews
// and redaction apply. [Prepare] adapts the agent's configuration before the agent is built, and [New] makes the server. [Server.Serve] serves over
// two streams; [Server.Handler] serves streamable HTTP.
//
// # Where to find what
//
//   - questions of an agent to the client's user: form.go; progress: progress.go
//   - the door: its requests: door.go, failure.go, api.go; sessions: session.go; answers that take long: heartbeat.go; login: login.go
//   - the door's tools: agents.go; what a call is to do: order.go; how it is done: call.go; threads: threads.go, watch.go
//   - the server of an agent: which tools a client sees, and who may reach the server: server.go, tools.go; what a call of a tool does: task.go; the
//     client's call in place of the model's answer: model.go
package mcp
