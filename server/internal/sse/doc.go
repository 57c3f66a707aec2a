// Package sse sends and reads streams of server-sent events:
// https://html.spec.whatwg.org/multipage/server-sent-events.html. The doors of agenthost serve stream the events of runs with it.
//
// # Sending
//
// [Serve] answers a request with a stream. It takes batches of events from a [Source] and writes them until the source ends or the client
// is gone:
//
//	err := sse.Serve(w, r, reader.next, sse.Config{})
//
// Lines end with LF. A comment, ": heartbeat", is written at even intervals for as long as the stream lives, whether or not events were
// written meanwhile: the JavaScript SDK of LangGraph measures the intervals, and reconnects after three of them without a byte. Nothing
// is compressed, and each batch is flushed, because a proxy or a buffer that waits for more would delay it.
//
// Only the goroutine of the handler writes. A second one asks the source, so that a slow database delays no heartbeat. It holds at most one batch, and
// ends when the source has nothing more at the moment: a server has many streams in which nothing happens. It ends before Serve returns.
//
// # Clients that do not read
//
// Every piece of 64 KiB has a deadline. A client that takes longer to accept one loses its stream, and with it the memory of one batch.
//
// # Where to find what
//
//   - an event and its bytes: event.go; how a stream is sent: serve.go; how one is read: reader.go
package sse
