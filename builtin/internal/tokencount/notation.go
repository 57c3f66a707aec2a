package tokencount

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// LangChain counts calls and blocks by the length of their Python notation. The functions here compute that length without
// building the text, so histories are shortened at the same moment.

const (
	pairLength      = len(": ")
	separatorLength = len(", ")
	bracketsLength  = len("[]")
)

// callsLength returns the length of [{'name': …, 'args': …, 'id': …, 'type': 'tool_call'}, …].
func callsLength(calls []abi.ToolCall) int {
	const keys = len("{'name': , 'args': , 'id': , 'type': 'tool_call'}")
	n := bracketsLength + separatorLength*(len(calls)-1)
	for i := range calls {
		call := &calls[i]
		n += keys + textLength(call.Name) + valueLength(call.Args) + textLength(call.ID)
	}
	return n
}

func mapLength(m wire.Map) int {
	n := bracketsLength + separatorLength*max(0, len(m)-1)
	for _, pair := range m {
		n += textLength(pair.Key) + pairLength + valueLength(pair.Value)
	}
	return n
}

// valueLength returns the length of a value's notation.
func valueLength(value wire.Raw) int {
	switch value.Type() {
	case "object":
		n := bracketsLength + separatorLength*max(0, value.Len()-1)
		for key, value := range value.Pairs() {
			n += bytesLength(key) + pairLength + valueLength(value)
		}
		return n
	case "array":
		n := bracketsLength + separatorLength*max(0, value.Len()-1)
		for value := range value.Elements() {
			n += valueLength(value)
		}
		return n
	case "string":
		return bytesLength(bytesOf(value))
	case "bytes": // sent as base64
		return (len(value)+2)/3*4 + 2
	case "integer":
		return integerLength(value)
	case "number":
		number, _ := value.AsFloat()
		return floatLength(number)
	case "boolean":
		if is, _ := value.AsBool(); !is {
			return len("False")
		}
		return len("True")
	default:
		return len("None")
	}
}

func integerLength(value wire.Raw) int {
	var digits [20]byte
	if n, ok := value.AsInt(); ok {
		return len(strconv.AppendInt(digits[:0], n, 10))
	}
	n, _ := value.AsUint()
	return len(strconv.AppendUint(digits[:0], n, 10))
}

// floatLength returns the length of the shortest decimal of a number: 0.5, 2.0, 1e+16.
func floatLength(number float64) int {
	var digits [32]byte
	text := strconv.AppendFloat(digits[:0], number, 'e', -1, 64)
	exponent := 0
	for i, c := range text {
		if c == 'e' {
			exponent, _ = strconv.Atoi(string(text[i+1:]))
		}
	}
	if exponent < -4 || exponent >= 16 {
		return len(text)
	}
	var plain [40]byte
	text = strconv.AppendFloat(plain[:0], number, 'f', -1, 64)
	for _, c := range text {
		if c == '.' || c == 'N' || c == 'I' {
			return len(text)
		}
	}
	return len(text) + len(".0")
}

// bytesOf returns the text of a string without a copy: AsString would copy arguments that may be whole files.
func bytesOf(value wire.Raw) []byte {
	switch value[0] {
	case 0xd9:
		return value[2:]
	case 0xda:
		return value[3:]
	case 0xdb:
		return value[5:]
	default:
		return value[1:]
	}
}

// textLength returns the length of a text in quotes, with escapes.
func textLength(text string) int {
	var q quotedLength
	for _, r := range text {
		q.add(r)
	}
	return q.length()
}

func bytesLength(text []byte) int {
	var q quotedLength
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		q.add(r)
		text = text[size:]
	}
	return q.length()
}

// quotedLength counts a text rune by rune.
type quotedLength struct{ n, single, double int }

func (q *quotedLength) add(r rune) {
	q.n += runeLength(r)
	switch r {
	case '\'':
		q.single++
	case '"':
		q.double++
	}
}

// length returns the length with quotes. Python uses single quotes, unless the text contains only single ones; if it
// contains both kinds, each single one gets a backslash.
func (q *quotedLength) length() int {
	if q.double > 0 {
		q.n += q.single
	}
	return q.n + len("''")
}

func runeLength(r rune) int {
	switch {
	case r == '\\' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r >= ' ' && r < utf8.RuneSelf-1 || unicode.IsPrint(r):
		return 1
	case r < 0x100:
		return len(`\x00`)
	case r < 0x10000:
		return len(`\u0000`)
	default:
		return len(`\U00000000`)
	}
}
