// Package anthropic has the models of Anthropic, and of servers that offer its Messages API.
//
// # Where to find what
//
//   - the request: request.go; the history in it: conversation.go, thinking.go, block.go, call.go; cache marks: cache.go
//   - tools: tool.go; response formats, and which parts of a schema are enforced: schema.go
//   - the answer: answer.go, part.go; in pieces: stream.go, draft.go; a turn that the API pauses: pause.go; token counts: usage.go
//   - shared by all providers, in package host/model/internal/provider: failed calls: failure.go; when the arguments of a call
//     are malformed: calls.go
//
// Where its comments go beyond the API's reference (https://platform.claude.com/docs/en/api/messages), they describe the API's
// own errors for refused requests.
package anthropic
