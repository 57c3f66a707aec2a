package strictyaml

import (
	"fmt"
	"strconv"
)

// Origin says where the value comes from: FILE:LINE:COLUMN, or the flag with its text if it was given on the command line. It is ""
// for the zero Node. It shows no secret.
func (n Node) Origin() string {
	switch {
	case n.n == nil:
		return ""
	case n.n.at.line == 0:
		return printable(n.n.at.src.name)
	default:
		return fmt.Sprintf("%s:%d:%d", printable(n.n.at.src.name), n.n.at.line, n.n.at.column)
	}
}

// Shown returns a scalar, or an empty list or mapping, as [WithSet] would take it, with variables as they are written and *** in place of
// a secret. It is "" for a list or mapping that has entries: see [Node.Items] and [Node.Keys].
func (n Node) Shown() string {
	switch {
	case n.n == nil || n.Len() > 0:
		return ""
	case n.n.kind == KindList:
		return "[]"
	case n.n.kind == KindMap:
		return "{}"
	case n.n.kind == KindNull:
		return "null"
	case n.n.kind == KindString && !n.n.secret && needsQuotes(n.n.raw):
		return strconv.Quote(n.n.raw)
	default:
		return n.n.raw
	}
}

// needsQuotes reports whether an assignment would read a text as something else, or would not fit into a line.
func needsQuotes(text string) bool {
	return text == "" || isYAML(text) || classify(text) != KindString || printable(text) != text
}
