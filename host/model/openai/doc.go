// Package openai has the models of OpenAI, and of all servers with a compatible API: those of the [Presets], llama.cpp, Gemini's compatible
// endpoint and others.
//
// It does not use OpenAI's SDK. The SDK's types lose what other servers add, such as reasoning, content in parts, and
// arguments that are not strings; its streams treat "error": null as an error; and it makes a binary three times as large.
//
// Parts of an answer that must be sent back are in its blocks: see [KeyReasoning] and [KeyItem]. Data that does not fit there
// is in the message's Meta: see [MetaCalls].
//
// The old call format (function_call), audio answers and multiple choices are not supported.
//
// # Where to find what
//
//   - Chat Completions: chatrequest.go, chatcontent.go; the answer: chatresponse.go, chatstream.go
//   - Responses: responsesrequest.go, responsescontent.go, responsesitem.go, setting.go; the answer: responses.go, responsesstream.go
//   - other APIs of the same account: embedder.go, moderation.go, decisions.go
//   - services that differ from OpenAI: preset.go, ollamahost.go
//   - both: tools and response formats: tool.go; tool calls in pieces and in the history: call.go; reasoning: reasoning.go,
//     thinkingblocks.go, reasoningentry.go; when an answer is an error: finish.go; token counts: usage.go; addresses and keys: client.go
//   - shared by all providers, in package host/model/internal/provider: failed calls: failure.go; when the arguments of a call
//     are malformed: calls.go
package openai
