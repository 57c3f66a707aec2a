package chat

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/text"
)

// In the line that a person edits these stand for characters that would break it in two, or move the cursor.
const (
	shownBreak = '⏎' // a line break
	shownTab   = '␉'
)

// Bytes that stand for keys which the editor itself handles. A terminal sends them for keys that mean nothing here.
const (
	keyCancel = 0x1c // Ctrl-C
	keyEnd    = 0x1d // Ctrl-D
)

const (
	ctrlC     = 0x03
	ctrlD     = 0x04
	tab       = '\t'
	escape    = 0x1b
	backspace = 0x7f
)

// The marks around what a terminal pastes, and what stands for keys that x/term knows.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	home       = "\x01"
	end        = "\x05"
	deleteWord = "\x17"
	wordLeft   = "\x1b[1;3D"
	wordRight  = "\x1b[1;3C"
)

// maxSequence is how long the sequence of a key may be, in bytes. What is longer is none.
const maxSequence = 32

// keys makes of what a terminal sends what x/term's line editor understands, and leaves out the rest: sequences that it
// would wait for the end of, and characters, typed or pasted, which would steer the terminal when they are shown. The zero
// value is ready for use.
type keys struct {
	pasting  bool
	returned bool   // what was pasted last is a carriage return
	rest     []byte // the beginning of a character or a sequence
}

// translate returns what the input means, as far as it is complete. It stops behind a key that the editor handles, and
// returns what is left.
func (k *keys) translate(in []byte) (out, left []byte) {
	in = append(k.rest, in...)
	k.rest = nil
	for len(in) > 0 {
		n, stands, complete := k.next(in)
		if !complete {
			k.rest = bytes.Clone(in)
			return out, nil
		}
		in, out = in[n:], append(out, stands...)
		if strings.HasSuffix(stands, string(rune(keyCancel))) || stands == string(rune(keyEnd)) {
			return out, in
		}
	}
	return out, nil
}

// next takes one key, or one character of what is pasted: n bytes that stand for something, which may be nothing.
func (k *keys) next(in []byte) (n int, stands string, complete bool) {
	if in[0] == escape {
		return k.sequence(in)
	}
	if !utf8.FullRune(in) {
		return 0, "", false
	}
	r, n := utf8.DecodeRune(in)
	after := k.returned
	k.returned = k.pasting && r == '\r'
	switch {
	case r == utf8.RuneError && n == 1:
		return n, "", true
	case k.pasting && r == '\n' && after: // the two are one line break
		return n, "", true
	case k.pasting && (r == '\n' || r == '\r'):
		return n, string(shownBreak), true
	case k.pasting && r == ctrlC: // whatever has become of the end of what is pasted
		k.pasting = false
		return n, pasteEnd + string(rune(keyCancel)), true
	case k.pasting && r == tab:
		return n, string(shownTab), true
	case k.pasting && text.Steers(r):
		return n, "", true
	case k.pasting:
		return n, string(r), true
	}
	return n, typed(r), true
}

// typed says what a character stands for that was typed.
func typed(r rune) string {
	switch r {
	case ctrlC:
		return string(rune(keyCancel))
	case ctrlD:
		return string(rune(keyEnd))
	case '\n':
		return "\r"
	case '\r', tab, backspace, 0x01, 0x02, 0x05, 0x06, 0x08, 0x0b, 0x0c, 0x0e, 0x10, 0x14, 0x15, 0x17:
		return string(r) // keys that x/term knows
	}
	if text.Steers(r) {
		return ""
	}
	return string(r)
}

// sequence takes a key that begins with an escape.
func (k *keys) sequence(in []byte) (n int, stands string, complete bool) {
	if k.pasting {
		switch {
		case bytes.HasPrefix(in, []byte(pasteEnd)):
			k.pasting = false
			return len(pasteEnd), pasteEnd, true
		case len(in) < len(pasteEnd) && bytes.HasPrefix([]byte(pasteEnd), in):
			return 0, "", false
		default:
			return 1, "", true
		}
	}
	if len(in) == 1 {
		return 0, "", false
	}
	switch in[1] {
	case '[':
		return k.control(in)
	case 'O':
		if len(in) < 3 {
			return 0, "", false
		}
		return 3, arrow("", in[2]), true
	case '\r', '\n': // with Alt
		return 2, string(shownBreak), true
	case 'b':
		return 2, wordLeft, true
	case 'f':
		return 2, wordRight, true
	case backspace:
		return 2, deleteWord, true
	default:
		return 1, "", true
	}
}

// control takes a control sequence: parameters and a last byte.
func (k *keys) control(in []byte) (n int, stands string, complete bool) {
	for n = 2; n < len(in) && n < maxSequence; n++ {
		last := in[n]
		if last >= 0x20 && last <= 0x3f {
			continue
		}
		if last < 0x40 || last > 0x7e { // it is broken off
			return n, "", true
		}
		parameters := string(in[2:n])
		switch {
		case last == '~' && parameters == "200":
			k.pasting = true
			return n + 1, pasteStart, true
		case last == '~':
			return n + 1, numbered(parameters), true
		case last == 'u' && (parameters == "13;2" || parameters == "13;3" || parameters == "13;5"): // Enter, with another key
			return n + 1, string(shownBreak), true
		default:
			return n + 1, arrow(parameters, last), true
		}
	}
	return n, "", n == maxSequence
}

// arrow is a key of the block of arrows.
func arrow(parameters string, last byte) string {
	modified := len(parameters) > 2
	switch last {
	case 'A', 'B':
		return "\x1b[" + string(rune(last))
	case 'C':
		if modified {
			return wordRight
		}
		return "\x1b[C"
	case 'D':
		if modified {
			return wordLeft
		}
		return "\x1b[D"
	case 'H':
		return home
	case 'F':
		return end
	default:
		return ""
	}
}

// numbered is a key that a terminal names by a number.
func numbered(parameters string) string {
	switch parameters {
	case "1", "7":
		return home
	case "4", "8":
		return end
	case "3":
		return "\x1b[3~" // Delete
	case "27;2;13", "27;3;13", "27;5;13": // Enter, with another key
		return string(shownBreak)
	default:
		return ""
	}
}
