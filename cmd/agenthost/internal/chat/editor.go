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

// Editor reads the messages that a person types at a terminal, with the keys of a line editor, a history on the up and down
// arrows, and messages of several lines. A line break comes from a backslash at the end of a line, from Alt-Enter, from
// pasted text or, if the terminal distinguishes it from Enter, from Shift-Enter. The edited line shows it as ⏎.
type Editor struct {
	// Raw puts the terminal into raw mode until restore is called, and returns its width. It may be nil.
	Raw func() (restore func(), width int, err error)

	keyboard *Keyboard
	line     *term.Terminal
	commands []string // that Tab completes
	history  history

	from  io.Reader // the source of the current message
	out   io.Writer
	keys  keys
	typed []byte // read after the key that ended the line
	ready []byte // translated for the line editor
	left  lineEnd
}

// lineEnd is the key that ended a line.
type lineEnd int

const (
	entered   lineEnd = iota // Enter
	cancelled                // Ctrl-C in an empty line
	ended                    // Ctrl-D in an empty line
)

// The prompts of the first line of a message and of the following ones.
const (
	promptFirst = "> "
	promptMore  = "… "
)

// NewEditor returns an editor that shows the line on out.
func NewEditor(keyboard *Keyboard, out io.Writer, commands ...string) *Editor {
	e := &Editor{keyboard: keyboard, out: out, commands: commands}
	e.line = term.NewTerminal(port{e}, promptFirst)
	e.line.History = &e.history
	e.line.AutoCompleteCallback = e.key
	return e
}

// Read returns the next message. Ctrl-C clears the line; in an empty line it ends the conversation, like Ctrl-D.
func (e *Editor) Read(ctx context.Context) (string, error) {
	if e.Raw != nil {
		restore, width, err := e.Raw()
		if err != nil {
			return "", err
		}
		defer restore()
		_ = e.line.SetSize(max(width, len(promptMore)+1), 1) // repaints nothing, because the line is empty
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
		case e.left != entered: // drop the earlier lines of the message
			message = nil
			continue
		}
		line = decode(line)
		if first, more := strings.CutSuffix(line, `\`); more {
			message = append(message, first)
			continue
		}
		whole := strings.Join(append(message, line), "\n")
		e.history.remember(whole)
		return whole, nil
	}
}

// decode restores the line breaks and tabs of an edited line.
func decode(line string) string {
	return strings.NewReplacer(string(shownBreak), "\n", string(shownTab), "\t").Replace(line)
}

// encode replaces line breaks and tabs for the edited line.
func encode(text string) string {
	return strings.NewReplacer("\n", string(shownBreak), "\t", string(shownTab)).Replace(text)
}

// key handles a key of the line.
func (e *Editor) key(line string, at int, key rune) (changed string, to int, handled bool) {
	switch {
	case key == keyCancel && line != "":
		return "", 0, true
	case key == keyCancel:
		e.leave(cancelled)
	case key == keyEnd && line == "":
		e.leave(ended)
	case key == keyEnd: // deletes the character at the cursor
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
func (e *Editor) leave(by lineEnd) { e.left, e.ready = by, append(e.ready, '\r') }

// complete completes the name of a command as far as it is unambiguous.
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

// port is the input and output of the line editor.
type port struct{ of *Editor }

func (w port) Write(p []byte) (int, error) { return w.of.out.Write(p) }

// Read returns translated keys, and waits if there are none.
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

// history holds earlier messages, the latest last. It stays in memory, because messages may be private.
type history struct{ entries []string }

// The number of messages in the history, and their maximum length in characters, which is the limit of the line editor.
const (
	maxHistory = 200
	maxEntry   = 4000
)

// remember adds a message.
func (h *history) remember(message string) {
	entry := encode(message)
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

// Add does nothing: it is called with each line, and remember adds whole messages.
func (*history) Add(string) {}

// Len returns the number of entries.
func (h *history) Len() int { return len(h.entries) }

// At returns an entry; 0 is the latest.
func (h *history) At(i int) string { return h.entries[len(h.entries)-1-i] }
