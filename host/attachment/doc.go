// Package attachment reads the files that a person adds to a message: images, PDF documents, audio and text.
//
// [Read] reads a file and tells what it is by its content, because a provider refuses the whole conversation if the type is wrong.
// [Message] makes the message, and [Check] refuses files that no model of an agent takes, before anything is sent.
//
// # Where to find what
//
//   - limits, and how a file is read: file.go; how its kind is told: kind.go
//   - what a model sees of it: message.go; what a model takes: check.go
package attachment
