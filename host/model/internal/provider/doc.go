// Package provider holds the code that the packages of model providers share. It turns failed calls into a [model.Error],
// limits the size of responses, and reads and writes tool calls, settings and answers.
//
// # Where to find what
//
//   - which kind a failed call gets, and when it may be repeated: failure.go, transport.go; an answer that the provider refused: refused.go
//   - the size of responses and the client: transport.go; the events of a stream: events.go; the stream of an answer: stream.go; addresses: endpoint.go
//   - which server gets which key: service.go; where credentials that come back are hidden: transport.go, hide.go
//   - tool calls, malformed arguments and structured answers: calls.go; parts of the content: content.go
//   - settings of the operator and of a request: settings.go; what a model can do: info.go
package provider
