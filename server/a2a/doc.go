// Package a2a is the server's door for other agents: the Agent2Agent protocol in its version 1.0, by JSON-RPC and by HTTP+JSON, and in version 0.3 by
// JSON-RPC.
//
// A task is a run, and its id is that of the run; a context is a thread. A run that goes on with another one, because somebody has answered its
// questions, belongs to the same task, by whichever door the answer came. Nothing about tasks is kept beside runs and threads, except for the messages
// as clients sent them, and where clients want to be notified.
//
// The library github.com/a2aproject/a2a-go reads requests and writes answers. What a request does is done here: the library calls an
// implementation of its RequestHandler.
//
// # Where to find what
//
//   - the door and its routes: handler.go, routes.go; agent cards: card.go
//   - a request on its way to the library and back: dispatch.go, call.go; errors: problem.go
//   - what the methods do: service.go, stream.go, list.go
//   - runs as tasks: task.go, render.go; messages as runs: submit.go, answers.go
//   - notifications: push.go
package a2a
