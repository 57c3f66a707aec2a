// Package gemini has the models of Google's Gemini Developer API: generateContent and streamGenerateContent, version
// v1beta. Vertex AI is another service with other keys, which environment variables cannot switch to.
//
// It does without Google's SDK: its types lose signatures on empty texts, integers above 2^53 and parts of new kinds, and
// reading a response that has an unexpected form they panic; and it links 177 packages for services that are not used here.
//
// What of an answer must be sent back, and has no place in a message, stands in the message's Meta: see [MetaCalls].
// Blocks of text, reasoning and images keep theirs under the key [KeySignature]. Parts of other kinds, such as code that
// the provider ran, are blocks whose type begins with "gemini_", and are sent back as they came.
package gemini
