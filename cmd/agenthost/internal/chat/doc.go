// Package chat is a conversation with an agent at a terminal, or line by line.
//
// A [Chat] reads messages from a [Reader], runs the agent with each and shows what happens on a [Screen]. At a terminal the
// reader is an [Editor], which knows the keys of a line editor and a history; elsewhere it is [Lines]. Both take what they
// read from a [Keyboard] or a stream that nobody else reads meanwhile.
//
// Nothing that a model, tool or plugin wrote can steer the terminal: it is shown as package terminal shows it.
package chat
