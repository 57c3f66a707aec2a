package chat

import (
	"slices"
	"strings"
)

// past holds earlier messages, the latest last. It stays in memory, because messages may be private.
type past struct {
	entries []string
	back    int    // how many messages before the current one the line shows; 0 is the current one
	current string // the line that was left for an earlier message
}

// The number of messages in the history, and their maximum length in bytes.
const (
	maxHistory = 200
	maxEntry   = 16 << 10
)

// leave returns to the current message.
func (p *past) leave() { p.back, p.current = 0, "" }

// remember adds a message, and returns to the current one.
func (p *past) remember(message string) {
	p.leave()
	if strings.TrimSpace(message) == "" || len(message) > maxEntry {
		return
	}
	if n := len(p.entries); n > 0 && p.entries[n-1] == message {
		return
	}
	p.entries = append(p.entries, message)
	if len(p.entries) > maxHistory {
		p.entries = slices.Delete(p.entries, 0, 1)
	}
}

// recall shows an earlier or later message in a line.
func (p *past) recall(pressed key, l *line) {
	back := p.back + 1
	if pressed == keyDown {
		back = p.back - 1
	}
	if back < 0 || back > len(p.entries) {
		return
	}
	if p.back == 0 {
		p.current = l.text
	}
	p.back = back
	if back == 0 {
		l.set(p.current)
		return
	}
	l.set(p.entries[len(p.entries)-back])
}
