// Package mcp gives an agent the tools of servers that speak the Model Context Protocol, including servers written by
// strangers.
//
// [Connect] starts a server's command, or connects to its address, and lists its tools. [Server.Tools] returns those that the
// configuration lets through, as tools of the agent; [Join] combines the tools of several servers. [Server.Refresh]
// reads the list again after the server has announced a change, for the next run of the agent. If a server dies, the next call starts
// it again. If a tool is then missing or takes other arguments, a call of it tells the model so.
//
// The package does not trust servers. It bounds and cleans their names, descriptions, schemas, results and messages. It
// believes a server's claim that a tool may be repeated only if the operator says so. A command sees a clean environment.
// Secrets sent to a server do not appear in errors and logs. The model still reads whatever a tool returns:
// the operator must judge whether to trust the server that far.
//
// A server's failures become answers to the model: a tool error, a result that is too large, or a timeout. If the connection
// breaks during a call, the call may or may not have run. The answer tells the model so, and the call is never repeated unless
// the tool is idempotent.
//
// If the configuration allows it, a server may ask a model during a call (sampling), within a budget for each run. It may also
// ask a person something (an elicitation). The run is then interrupted and the call ends. Once the answer arrives, the call
// starts again from the beginning, and the repeated question is answered at once. The tool therefore repeats everything it did
// before it asked.
//
// # Where to find what
//
//   - when a dead server is started again, and which tools it may then have: reconnect.go; changed lists: refresh.go; whether a call is repeated: call.go
//   - which tools the agent gets, and their names: spec.go, name.go; the schemas of their arguments: schema.go
//   - what a result becomes: result.go; which errors the model sees: error.go, call.go
//   - resources and prompts: feature.go, prompt.go, page.go, list.go, uncached.go
//   - requests to a model: sampling.go; directories for the server: roots.go
//   - questions to a person: elicit.go; logs and progress: notice.go, quota.go; secrets: secret.go
//   - one connection: session.go; how it is made: command.go, http.go, sse.go, lines.go; what HTTP statuses mean: status.go
//   - logins by OAuth: package oauth
package mcp
