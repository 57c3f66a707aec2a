// Package acp serves an agent to an editor by the Agent Client Protocol (ACP), version 1: JSON-RPC on two streams, one message a line.
//
// A session is a thread of the agent, and a prompt is a run in it. What happens in the run becomes updates of the session; what it asks becomes a
// request for permission, a form, or a question that the next prompt answers. Tools of the editor let the agent read and write files as the
// editor shows them, and run commands in its terminals; the MCP servers that the editor passes give it more. Everything that changes something is
// asked about first, see Config.Review.
//
// The client is not trusted: messages, requests and sessions are bounded, and files are only those of the session's directories.
//
// # Where to find what
//
//   - the connection, and how it ends: server.go; methods: methods.go; what both sides can do: initialize.go
//   - sessions: session.go, open.go, list.go; their modes and models: options.go; slash commands: commands.go
//   - prompts: prompt.go, turn.go; questions of a run: ask.go, permission.go, form.go
//   - building agents with the editor's tools: build.go; these tools: editor.go, editfile.go, terminal.go, directory.go; MCP servers: servers.go
//   - JSON-RPC: internal/rpc; the messages: internal/protocol; events to updates: internal/updates
package acp
