// Package rpc speaks JSON-RPC 2.0 over two streams, one message a line, in both directions: the peer calls methods, and so does this side.
//
// The peer is not trusted. A line that is too long is skipped and answered with an error, and never held in memory; the number of requests
// in progress is bounded; an answer to no call is ignored. Batches are refused.
//
// # Where to find what
//
//   - how messages look, and the errors: message.go
//   - reading lines of limited length: line.go
//   - the connection: conn.go; requests of the peer: serve.go; calls of this side: call.go
package rpc
