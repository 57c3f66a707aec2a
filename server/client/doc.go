// Package client is a client of agent servers that speak the HTTP API of LangGraph: LangGraph's own server, LangSmith
// deployments, and servers that are compatible with them. A thread is a conversation with an agent of the server; a run is one piece
// of work on it, which the server does in the background.
//
// [Client.Stream] starts a run and yields its events, and goes on by itself when a connection breaks; [Client.CreateRun] starts one in the
// background. A run that stops at a question is answered by a run whose Command has "resume".
//
// The package does not trust servers. It bounds the size and the time of their answers, checks their ids, and follows redirects only to
// the same scheme, host and port. Values of headers never appear in errors. What a server says about a failure is the text of an
// [*Error], on one line.
//
// A request that only reads is sent up to three times if the connection breaks or the server is overloaded. A request that starts
// something is repeated only if the server certainly did not see it, or refused it with 429.
//
// # Where to find what
//
//   - the client and its configuration: client.go; requests of the API: assistant.go, thread.go, state.go, run.go
//   - events of a run: stream.go; messages, whole and in pieces: message.go
//   - one request with its limits: exchange.go; what may be repeated: retry.go; errors: error.go
package client
