// Package chat implements a conversation with an agent, at a terminal or line by line.
//
// A [Chat] reads messages from a [Reader], runs the agent with each of them and shows what happens on a [Screen]. At a
// terminal the reader is an [Editor], with the keys of a line editor and a history; elsewhere it is [Lines]. Both read from a
// [Keyboard], or from a stream without other readers.
//
// Text of models, tools and plugins cannot control the terminal, because it passes through package terminal.
//
// # Where to find what
//
//   - what a line of the person means: chat.go (handle); the commands that begin with a slash: command.go, file.go, prompts.go, rules.go, switch.go
//   - what is shown of a run, also by the commands run and resume: live.go, screen.go
//   - keys: keys.go, keyboard.go; the line editor: editor.go, line.go, frame.go, history.go, complete.go; without a terminal:
//     lines.go
package chat
