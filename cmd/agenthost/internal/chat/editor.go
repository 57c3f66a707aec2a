package chat

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Editor reads messages that a person types at a terminal: with the keys of a line editor, a history behind the arrows up
// and down, and messages of several lines. A line break comes from a backslash at the end of a line, from Alt-Enter or, where
// the terminal tells it from Enter, Shift-Enter, and with what is pasted; inside of the line that is edited it shows as ⏎.
type Editor struct {
	// Raw gives the terminal to the editor, until restore is called, and tells how wide it is; nil: it needs none of that.
	Raw func() (restore func(), width int, err error)

	keyboard *Keyboard
	line     *term.Terminal
	commands []string // that the Tab key completes
	history  history

	from  io.Reader // of the message that is being read
	out   io.Writer
	keys  keys
	typed []byte // was read, and stands behind a key that ended a line
	ready []byte // for the line
	left  leaving
}

// leaving says which key ended a line.
type leaving int

const (
	entered   leaving = iota // Enter
	cancelled                // Ctrl-C, with an empty line
	ended                    // Ctrl-D, with an empty line
)

// The prompts of the first line of a message and of those that follow.
const (
	promptFirst = "> "
	promptMore  = "… "
)

// NewEditor returns an editor, which shows the line on out.
func NewEditor(keyboard *Keyboard, out io.Writer, commands ...string) *Editor {
	e := &Editor{keyboard: keyboard, out: out, commands: commands}
	e.line = term.NewTerminal(port{e}, promptFirst)
	e.line.History = &e.history
	e.line.AutoCompleteCallback = e.key
	return e
}

// Read returns the next message. Ctrl-C empties the line; with an empty one it ends the conversation, as Ctrl-D does.
func (e *Editor) Read(ctx context.Context) (string, error) {
	if e.Raw != nil {
		restore, width, err := e.Raw()
		if err != nil {
			return "", err
		}
		defer restore()
		_ = e.line.SetSize(max(width, len(promptMore)+1), 1) // it repaints nothing: the line is empty
		e.line.SetBracketedPasteMode(true)
		defer e.line.SetBracketedPasteMode(false)
	}
	e.from = e.keyboard.During(ctx)
	var message []string
	for {
		e.line.SetPrompt(promptFirst)
		if message != nil {
			e.line.SetPrompt(promptMore)
		}
		e.left = entered
		line, err := e.line.ReadLine()
		switch {
		case err != nil && !errors.Is(err, term.ErrPasteIndicator):
			_, _ = io.WriteString(e.out, "\r\n")
			return "", err
		case e.left != entered && message == nil:
			return "", io.EOF
		case e.left != entered: // what was typed before is given up
			message = nil
			continue
		}
		line = meant(line)
		if first, more := strings.CutSuffix(line, `\`); more {
			message = append(message, first)
			continue
		}
		whole := strings.Join(append(message, line), "\n")
		e.history.remember(whole)
		return whole, nil
	}
}

// meant is what a line stands for.
func meant(line string) string {
	return strings.NewReplacer(string(shownBreak), "\n", string(shownTab), "\t").Replace(line)
}

// shown is how a text stands in a line.
func shown(text string) string {
	return strings.NewReplacer("\n", string(shownBreak), "\t", string(shownTab)).Replace(text)
}

// key handles a key for the line.
func (e *Editor) key(line string, at int, key rune) (changed string, to int, handled bool) {
	switch {
	case key == keyCancel && line != "":
		return "", 0, true
	case key == keyCancel:
		e.leave(cancelled)
	case key == keyEnd && line == "":
		e.leave(ended)
	case key == keyEnd: // it deletes what stands behind the cursor
		_, n := utf8.DecodeRuneInString(line[at:])
		return line[:at] + line[at+n:], at, true
	case key == tab:
		completed := e.complete(line)
		return completed, len(completed), true
	default:
		return "", 0, false
	}
	return line, at, true
}

// leave ends the line.
func (e *Editor) leave(by leaving) { e.left, e.ready = by, append(e.ready, '\r') }

// complete completes the name of a command, as far as there is one way to do so.
func (e *Editor) complete(line string) string {
	if !strings.HasPrefix(line, "/") {
		return line
	}
	var found []string
	for _, command := range e.commands {
		if strings.HasPrefix(command, line) {
			found = append(found, command)
		}
	}
	if len(found) != 1 {
		return line
	}
	return found[0]
}

// port is what the line editor reads from and writes to.
type port struct{ of *Editor }

func (w port) Write(p []byte) (int, error) { return w.of.out.Write(p) }

// Read returns keys. It returns none without being able to wait for more.
func (w port) Read(p []byte) (int, error) {
	e := w.of
	for len(e.ready) == 0 {
		if len(e.typed) == 0 {
			buffer := make([]byte, 1024)
			n, err := e.from.Read(buffer)
			if n == 0 && err != nil {
				return 0, err
			}
			e.typed = buffer[:n]
		}
		e.ready, e.typed = e.keys.translate(e.typed)
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// history is what was typed, the latest last. It stays in memory: a message may hold what nobody wants in a file.
type history struct{ entries []string }

// How many messages the history keeps, and how long they may be, in characters: the line editor takes no longer ones.
const (
	maxHistory = 200
	maxEntry   = 4000
)

// remember adds a message.
func (h *history) remember(message string) {
	entry := shown(message)
	if strings.TrimSpace(message) == "" || utf8.RuneCountInString(entry) > maxEntry {
		return
	}
	if n := len(h.entries); n > 0 && h.entries[n-1] == entry {
		return
	}
	h.entries = append(h.entries, entry)
	if len(h.entries) > maxHistory {
		h.entries = slices.Delete(h.entries, 0, 1)
	}
}

// Add is called with each line; a message is remembered when it is whole.
func (*history) Add(string) {}

// Len is how many there are.
func (h *history) Len() int { return len(h.entries) }

// At returns an entry, the latest being 0.
func (h *history) At(i int) string { return h.entries[len(h.entries)-1-i] }
