package chat

import (
	"bytes"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/text"
)

// press is a key that was pressed, or text that was typed or pasted.
type press struct {
	key  key
	text string // of keyText
}

// key is what a key of the terminal does.
type key int

const (
	keyNone key = iota // does nothing
	keyText
	keyEnter
	keyComplete
	keyCancel
	keyEnd // the end of the input, or the deletion of a character
	keyLeft
	keyRight
	keyWordLeft
	keyWordRight
	keyHome
	keyLast
	keyUp
	keyDown
	keyBackspace
	keyDelete
	keyDeleteWord
	keyDeleteBefore
	keyDeleteAfter
	keySwap
	keyClear
)

const (
	ctrlC  = 0x03
	tab    = '\t'
	escape = 0x1b
)

// controls are the keys that a terminal sends as one control character: those of Emacs and of readline.
var controls = map[rune]key{
	0x01: keyHome, 0x02: keyLeft, ctrlC: keyCancel, 0x04: keyEnd, 0x05: keyLast, 0x06: keyRight, 0x08: keyBackspace, tab: keyComplete,
	'\n': keyEnter, 0x0b: keyDeleteAfter, 0x0c: keyClear, '\r': keyEnter, 0x0e: keyDown, 0x10: keyUp, 0x14: keySwap,
	0x15: keyDeleteBefore, 0x17: keyDeleteWord, 0x7f: keyBackspace,
}

// The marks around pasted text.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// maxSequence is the maximum length of the sequence of a key, in bytes.
const maxSequence = 32

// keys decodes the input of a terminal. It drops unknown sequences, and typed or pasted characters that would control the terminal
// when shown. The zero value is ready for use.
type keys struct {
	pasting  bool
	returned bool   // whether the last pasted character is a carriage return
	rest     []byte // an incomplete character or sequence
}

// decode decodes complete input. Text that was typed without a key in between is one press.
func (k *keys) decode(in []byte) (presses []press) {
	in = append(k.rest, in...)
	k.rest = nil
	var typed []byte
	flush := func() {
		if len(typed) > 0 {
			presses = append(presses, press{keyText, string(typed)})
			typed = nil
		}
	}
	for len(in) > 0 {
		n, pressed, complete := k.next(in)
		if !complete {
			k.rest = bytes.Clone(in)
			break
		}
		in = in[n:]
		switch pressed.key {
		case keyNone:
		case keyText:
			typed = append(typed, pressed.text...)
		default:
			flush()
			presses = append(presses, pressed)
		}
	}
	flush()
	return presses
}

// next decodes one key, or one typed or pasted character, of n bytes.
func (k *keys) next(in []byte) (n int, pressed press, complete bool) {
	if in[0] == escape {
		return k.sequence(in)
	}
	if !utf8.FullRune(in) {
		return 0, press{}, false
	}
	r, n := utf8.DecodeRune(in)
	if r == utf8.RuneError && n == 1 {
		return n, press{}, true
	}
	if k.pasting {
		return n, k.pasted(r), true
	}
	if key, ok := controls[r]; ok {
		return n, press{key: key}, true
	}
	if text.Steers(r) {
		return n, press{}, true
	}
	return n, press{keyText, string(r)}, true
}

// pasted decodes a pasted character.
func (k *keys) pasted(r rune) press {
	after := k.returned
	k.returned = r == '\r'
	switch {
	case r == ctrlC: // even if the end mark of the pasted text is lost
		k.pasting = false
		return press{key: keyCancel}
	case r == '\n' && after: // both are one line break
		return press{}
	case r == '\n', r == '\r':
		return press{keyText, "\n"}
	case r != tab && text.Steers(r):
		return press{}
	}
	return press{keyText, string(r)}
}

// sequence decodes a key that begins with an escape.
func (k *keys) sequence(in []byte) (n int, pressed press, complete bool) {
	if k.pasting {
		switch {
		case bytes.HasPrefix(in, []byte(pasteEnd)):
			k.pasting, k.returned = false, false
			return len(pasteEnd), press{}, true
		case len(in) < len(pasteEnd) && bytes.HasPrefix([]byte(pasteEnd), in):
			return 0, press{}, false
		default:
			return 1, press{}, true
		}
	}
	if len(in) == 1 {
		return 0, press{}, false
	}
	switch in[1] {
	case '[':
		return k.control(in)
	case 'O':
		if len(in) < 3 {
			return 0, press{}, false
		}
		return 3, press{key: arrow("", in[2])}, true
	case '\r', '\n': // with Alt
		return 2, press{keyText, "\n"}, true
	case 'b':
		return 2, press{key: keyWordLeft}, true
	case 'f':
		return 2, press{key: keyWordRight}, true
	case 0x7f:
		return 2, press{key: keyDeleteWord}, true
	default:
		return 1, press{}, true
	}
}

// control decodes a control sequence, which has parameters and a final byte.
func (k *keys) control(in []byte) (n int, pressed press, complete bool) {
	for n = 2; n < len(in) && n < maxSequence; n++ {
		last := in[n]
		if last >= 0x20 && last <= 0x3f {
			continue
		}
		if last < 0x40 || last > 0x7e { // the sequence is incomplete
			return n, press{}, true
		}
		parameters := string(in[2:n])
		switch {
		case last == '~' && parameters == "200":
			k.pasting = true
			return n + 1, press{}, true
		case last == '~':
			return n + 1, numbered(parameters), true
		case last == 'u' && (parameters == "13;2" || parameters == "13;3" || parameters == "13;5"): // Enter with a modifier
			return n + 1, press{keyText, "\n"}, true
		default:
			return n + 1, press{key: arrow(parameters, last)}, true
		}
	}
	return n, press{}, n == maxSequence
}

// arrow decodes a key of the arrow block.
func arrow(parameters string, last byte) key {
	modified := len(parameters) > 2
	switch {
	case last == 'A':
		return keyUp
	case last == 'B':
		return keyDown
	case last == 'C' && modified:
		return keyWordRight
	case last == 'C':
		return keyRight
	case last == 'D' && modified:
		return keyWordLeft
	case last == 'D':
		return keyLeft
	case last == 'H':
		return keyHome
	case last == 'F':
		return keyLast
	default:
		return keyNone
	}
}

// numbered decodes a key that a terminal names by a number.
func numbered(parameters string) press {
	switch parameters {
	case "1", "7":
		return press{key: keyHome}
	case "4", "8":
		return press{key: keyLast}
	case "3":
		return press{key: keyDelete}
	case "27;2;13", "27;3;13", "27;5;13": // Enter with a modifier
		return press{keyText, "\n"}
	default:
		return press{}
	}
}
