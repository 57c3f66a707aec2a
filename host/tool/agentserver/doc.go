// Package agentserver is a client of agent servers that speak the HTTP API of LangGraph: LangGraph's own server, LangSmith
// deployments, and servers that are compatible with them. A thread is a conversation with an agent of the server; a run is one piece
// of work on it, which the server does in the background.
//
// The client covers what a program needs that hands work to another agent: [Client.CreateThread], [Client.CreateRun],
// [Client.Run], [Client.LatestRun], [Client.Thread] and [Client.CancelRun].
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
//   - the client and its configuration: client.go; requests of the API: thread.go, run.go
//   - one request with its limits: exchange.go; what may be repeated: retry.go; errors: error.go
package agentserver
