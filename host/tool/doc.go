// Package tool makes tools for agents. [Func] turns a Go function into a tool, with a JSON Schema that follows from the
// type of its arguments; [Raw] is for parameters that are known only at run time; [Agent] and [RunAgent] run other agents.
//
// # Where to find what
//
//   - tools of Go functions: func.go; with a schema and arguments of one's own: raw.go
//   - agents as tools: agent.go; their runs, threads and questions: runagent.go; where an agent of a manifest keeps its threads:
//     package manifest, agenttool.go
//   - tools of files, HTTP requests and MCP servers: the packages below this one
package tool
