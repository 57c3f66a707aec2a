// Package openai is the door of a server for clients of OpenAI's API: models, chat completions, responses and conversations. An agent is a model, a
// thread a conversation, and a run a response. docs/openai.md describes it for users.
//
// # Where to find what
//
//   - the door and its routes: handler.go, routes.go; errors: fault.go
//   - what both kinds of requests have in common: ask.go; in which thread a run takes place: place.go; answers to questions: resume.go;
//     structured answers: format.go; how a run is followed: follow.go
//   - chat completions: chat.go, their messages: message.go and part.go, their answers: completion.go and chunk.go
//   - assistants and tools of the client: assistant.go, tools.go
//   - responses: responses.go and stored.go, their items: item.go, their answers: response.go, output.go and stream.go
//   - models: models.go
//   - from the events of a run to pieces of an answer: package internal/answer
package openai
