package main

import (
	"io"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
)

// typeAhead keeps what a person types while the agent answers, so that it neither appears amid the answer nor answers a question that
// comes later: it is for the next message.
type typeAhead struct {
	keys     *chat.Keyboard
	editor   *chat.Editor
	notes    io.Writer
	terminal int // or -1

	restore func() // nil if the terminal is as it was
	ready   func() bool
}

// begin stops the terminal from showing what is typed. Without such a terminal it does nothing.
func (t *typeAhead) begin() {
	if t.terminal < 0 || t.restore != nil {
		return
	}
	restore, ready, err := withoutEcho(t.terminal)
	if err != nil {
		return
	}
	t.restore, t.ready = restore, ready
	_, _ = io.WriteString(t.notes, chat.MarksOn) // a paste is one message, now as at the prompt
}

// end restores the terminal.
func (t *typeAhead) end() {
	if t.restore == nil {
		return
	}
	_, _ = io.WriteString(t.notes, chat.MarksOff)
	t.restore()
	t.restore = nil
}

// pause restores the terminal for a question, until resume is called.
func (t *typeAhead) pause() (resume func()) {
	if t.restore == nil {
		return func() {}
	}
	t.editor.Keep(t.keys.Ahead(t.ready))
	t.end()
	return t.begin
}
