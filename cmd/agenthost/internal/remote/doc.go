// Package remote performs runs of an agent that a server has, as if the agent were here: with the inputs, events and results of package
// host. The server speaks LangGraph's API, as agenthost serve does.
//
// # Where to find what
//
//   - the agent, and which threads it has: agent.go, thread.go
//   - one run: run.go; its events: translator.go
//   - what a thread holds: state.go
//   - failures that the server reports: error.go
package remote
