// Package langgraph is the door of a server of agents that speaks LangGraph's API, in its classic form: the paths below /assistants, /threads, /runs and
// /store. The official SDKs for Python and JavaScript, their useStream, RemoteGraph, and pages such as agent-chat-ui use it as they are. The behaviour
// is that of langgraph-api 0.16.7, as far as clients can see it.
//
// What LangGraph calls a graph is an agent here, and its nodes are the steps of the agent's program, with the names that they have there. Each agent has
// an assistant of its own, with the id that LangGraph gives to the one of a graph of this name.
//
// # What differs
//
//   - ids of checkpoints are decimal numbers of 20 digits; 0 is the empty thread before the first one
//   - the durability of a run is that of its agent, whatever the client asks for
//   - keys of an input that the agent has no field for are left out, and so is what an agent hides
//   - Send, and several steps in goto, are refused: an agent performs one step after the other
//
// # Where to find what
//
//   - routes, and how errors are answered: handler.go, answer.go
//   - assistants and their graphs: assistants.go, graph.go, schemas.go
//   - threads: threads.go; their states: state.go, history.go
//   - runs: create.go for what a client asks for, input.go and command.go for parts of it, runs.go, wait.go, stream.go; the frames of a stream: package frames
//   - schedules: crons.go; long-term memory: storeitems.go; the server itself: info.go
package langgraph
