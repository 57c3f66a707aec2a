package chat

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/terminal"
)

// Editor reads the messages that a person types at a terminal, with the keys of a line editor, a history on the up and down
// arrows, and messages of several lines. A line break comes from a backslash at the end of a line, from Alt-Enter, from
// pasted text or, if the terminal distinguishes it from Enter, from Shift-Enter. The edited line shows it as ⏎.
type Editor struct {
	// Raw puts the terminal into raw mode until restore is called, and returns its size. It may be nil.
	Raw func() (restore func(), size Size, err error)
	// Complete returns what may replace the text before the cursor from a place on, for Tab. It may be nil.
	Complete func(before string) (from int, choices []string)

	keyboard *Keyboard
	out      io.Writer
	past     past
	keys     keys
	ahead    []press // typed after the key that ended the line

	prompt string
	line   line
	frame  frame
}

// The prompts of the first line of a message and of the following ones.
const (
	promptFirst = "> "
	promptMore  = "… "
)

// MarksOn and MarksOff make a terminal put marks around pasted text, and no longer.
const (
	MarksOn  = "\x1b[?2004h"
	MarksOff = "\x1b[?2004l"
)

// maxLine is the maximum size of an edited message, in bytes.
const maxLine = 1 << 20

// NewEditor returns an editor that shows the line on out.
func NewEditor(keyboard *Keyboard, out io.Writer) *Editor {
	return &Editor{keyboard: keyboard, out: out}
}

// Keep adds input that arrived before the next message is read, such as what a person typed while the agent answered.
func (e *Editor) Keep(typed []byte) { e.ahead = append(e.ahead, e.keys.decode(typed)...) }

// Read returns the next message. Ctrl-C clears the line; in an empty line it ends the conversation, like Ctrl-D.
func (e *Editor) Read(ctx context.Context) (string, error) {
	size := Size{80, 24}
	if e.Raw != nil {
		restore, raw, err := e.Raw()
		if err != nil {
			return "", err
		}
		defer restore()
		size = raw
		e.write(MarksOn)
		defer e.write(MarksOff)
	}
	size.Columns, size.Rows = max(size.Columns, len(promptMore)+2), max(size.Rows, 1)
	from := e.keyboard.During(ctx)
	e.prompt, e.line, e.frame = promptFirst, line{}, frame{size: size}
	e.draw()
	var message string // the lines before the edited one
	for {
		pressed, err := e.next(from)
		if err != nil {
			e.write("\r\n")
			return "", err
		}
		switch {
		case pressed.key == keyCancel && e.line.text != "":
			e.line = line{}
			e.past.leave()
		case e.line.text == "" && (pressed.key == keyCancel || pressed.key == keyEnd):
			e.leave()
			if e.prompt == promptFirst {
				return "", io.EOF
			}
			message, e.prompt = "", promptFirst // drop the earlier lines of the message
		case pressed.key == keyEnter:
			text := e.line.text
			e.leave()
			if first, more := strings.CutSuffix(text, `\`); more {
				message, e.prompt = message+first+"\n", promptMore
				e.past.leave()
				break
			}
			message += text
			e.past.remember(message)
			return message, nil
		default:
			e.edit(pressed)
		}
		e.draw()
	}
}

// next returns the next key that was pressed. Pasted text is complete.
func (e *Editor) next(from io.Reader) (press, error) {
	buffer := make([]byte, 4096)
	for len(e.ahead) == 0 || e.keys.pasting {
		n, err := from.Read(buffer)
		e.Keep(buffer[:n])
		if err != nil && n == 0 {
			return press{}, err
		}
	}
	pressed := e.ahead[0]
	var text strings.Builder // of adjacent presses
	for len(e.ahead) > 0 && e.ahead[0].key == keyText {
		text.WriteString(e.ahead[0].text)
		e.ahead = e.ahead[1:]
	}
	if pressed.key == keyText {
		return press{keyText, text.String()}, nil
	}
	e.ahead = e.ahead[1:]
	return pressed, nil
}

// edit performs a key that changes the line.
func (e *Editor) edit(pressed press) {
	switch pressed.key {
	case keyText:
		if len(e.line.text)+len(pressed.text) > maxLine {
			e.note("the message would be longer than 1 MiB; add a file with /file PATH instead")
			return
		}
		e.line.insert(pressed.text)
	case keyUp, keyDown:
		e.past.recall(pressed.key, &e.line)
	case keyClear:
		e.write("\x1b[2J\x1b[H")
		e.frame = frame{size: e.frame.size}
	case keyComplete:
		e.complete()
	default:
		e.line.press(pressed.key)
	}
}

// draw shows the line.
func (e *Editor) draw() {
	var output string
	output, e.frame = e.frame.paint(e.prompt, &e.line)
	e.write(output)
}

// leave ends the line on the terminal, and begins an empty one.
func (e *Editor) leave() {
	e.line.at = len(e.line.text)
	e.draw()
	e.write("\r\n")
	e.line, e.frame = line{}, frame{size: e.frame.size}
}

// note shows a line below the edited one, which is drawn again after it.
func (e *Editor) note(text string) {
	kept := e.line
	e.leave()
	e.write("· " + text + "\r\n")
	e.line = kept
}

func (e *Editor) write(output string) { _, _ = io.WriteString(e.out, output) }

// maxChoices is how many completions are listed.
const maxChoices = 50

// complete completes the text before the cursor as far as it is unambiguous. If that adds nothing, it lists the choices.
func (e *Editor) complete() {
	if e.Complete == nil {
		return
	}
	before := e.line.text[:e.line.at]
	from, choices := e.Complete(before)
	if len(choices) == 0 {
		return
	}
	if common := commonPrefix(choices); len(common) > len(before)-from || len(choices) == 1 {
		e.line.cut(from, e.line.at)
		e.line.insert(common)
		return
	}
	shown := choices[:min(len(choices), maxChoices)]
	list := terminal.Line(strings.Join(shown, "  "))
	if len(choices) > len(shown) {
		list += "  …"
	}
	e.note(list)
}

// commonPrefix returns the longest text that all texts begin with and that ends with a whole character.
func commonPrefix(texts []string) string {
	common := texts[0]
	for _, other := range texts[1:] {
		n := 0
		for n < len(common) {
			_, size := utf8.DecodeRuneInString(common[n:]) // 1 for a byte that is not a character
			if !strings.HasPrefix(other[n:], common[n:n+size]) {
				break
			}
			n += size
		}
		common = common[:n]
	}
	return common
}
