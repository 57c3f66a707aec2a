package chat

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/text"
)

// Characters that the edited line shows in place of line breaks and tabs.
const (
	shownBreak = '⏎' // a line break
	shownTab   = '␉'
)

// Bytes for the keys that the editor itself handles. Terminals send them only for keys without a meaning here.
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

// The marks around pasted text, and the sequences of keys that x/term knows.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	home       = "\x01"
	end        = "\x05"
	deleteWord = "\x17"
	wordLeft   = "\x1b[1;3D"
	wordRight  = "\x1b[1;3C"
)

// maxSequence is the maximum length of the sequence of a key, in bytes.
const maxSequence = 32

// keys translates the input of a terminal into what x/term's line editor understands. It drops sequences that x/term would
// wait for, and typed or pasted characters that would control the terminal when shown. The zero value is ready for use.
type keys struct {
	pasting  bool
	returned bool   // whether the last pasted character is a carriage return
	rest     []byte // an incomplete character or sequence
}

// translate translates complete input. It stops after a key that the editor handles, and returns the rest.
func (k *keys) translate(in []byte) (out, left []byte) {
	in = append(k.rest, in...)
	k.rest = nil
	for len(in) > 0 {
		n, meaning, complete := k.next(in)
		if !complete {
			k.rest = bytes.Clone(in)
			return out, nil
		}
		in, out = in[n:], append(out, meaning...)
		if strings.HasSuffix(meaning, string(rune(keyCancel))) || meaning == string(rune(keyEnd)) {
			return out, in
		}
	}
	return out, nil
}

// next translates one key or one pasted character of n bytes. The translation may be empty.
func (k *keys) next(in []byte) (n int, meaning string, complete bool) {
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
	case k.pasting && r == '\n' && after: // both are one line break
		return n, "", true
	case k.pasting && (r == '\n' || r == '\r'):
		return n, string(shownBreak), true
	case k.pasting && r == ctrlC: // even if the end mark of the pasted text is lost
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

// typed translates a typed character.
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

// sequence translates a key that begins with an escape.
func (k *keys) sequence(in []byte) (n int, meaning string, complete bool) {
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

// control translates a control sequence, which has parameters and a final byte.
func (k *keys) control(in []byte) (n int, meaning string, complete bool) {
	for n = 2; n < len(in) && n < maxSequence; n++ {
		last := in[n]
		if last >= 0x20 && last <= 0x3f {
			continue
		}
		if last < 0x40 || last > 0x7e { // the sequence is incomplete
			return n, "", true
		}
		parameters := string(in[2:n])
		switch {
		case last == '~' && parameters == "200":
			k.pasting = true
			return n + 1, pasteStart, true
		case last == '~':
			return n + 1, numbered(parameters), true
		case last == 'u' && (parameters == "13;2" || parameters == "13;3" || parameters == "13;5"): // Enter with a modifier
			return n + 1, string(shownBreak), true
		default:
			return n + 1, arrow(parameters, last), true
		}
	}
	return n, "", n == maxSequence
}

// arrow translates a key of the arrow block.
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

// numbered translates a key that a terminal names by a number.
func numbered(parameters string) string {
	switch parameters {
	case "1", "7":
		return home
	case "4", "8":
		return end
	case "3":
		return "\x1b[3~" // Delete
	case "27;2;13", "27;3;13", "27;5;13": // Enter with a modifier
		return string(shownBreak)
	default:
		return ""
	}
}
