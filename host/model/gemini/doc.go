// Package gemini has the models of Google's Gemini Developer API: generateContent and streamGenerateContent, version v1beta.
// Package host/model/vertex reaches the same models on Vertex AI, a different service with different credentials; no environment variable
// switches to it.
//
// It does not use Google's SDK. The SDK's types lose signatures on empty texts, integers above 2^53 and parts of new kinds; it
// panics on responses of an unexpected form; and it links 177 packages for services that are not used here.
//
// Data that must be sent back but has no place in a message is in the message's Meta: see [MetaCalls]. Blocks of text,
// reasoning and images keep their signatures under the key [KeySignature]. Parts of other kinds, such as code that the
// provider ran, are blocks whose type begins with "gemini_", and are sent back unchanged.
//
// # Where to find what
//
//   - the request: request.go; the history in it: contents.go, part.go, media.go; settings under their common names:
//     package manifest, provider.go
//   - the answer: document.go, answer.go; in pieces: stream.go; when an answer is an error: finishreason.go
//   - ids and signatures of calls: callmeta.go; addresses and keys: client.go
//   - shared by all providers, in package host/model/internal/provider: failed calls: failure.go; when the arguments of a call
//     are malformed: calls.go
package gemini
