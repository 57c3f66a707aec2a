// Package answer makes an answer in the sense of OpenAI's API out of the events of a run: what the agent says, piece by piece and as a whole, what it
// asks, and what it has used. It knows no network and no clock, and the same events always give the same pieces.
//
// # Where to find what
//
//   - from events to pieces: translator.go; the messages of the agent meanwhile: transcript.go
//   - the whole answer: answer.go; the texts of questions: question.go
package answer
