package httptool

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// template is a text with places for arguments.
type template []part

// part is a text, or the place of an argument.
type part struct{ text, name string }

// maxName is the maximum length of an argument's name.
const maxName = 64

// parseTemplate reads a text with {name} places, where {{ and }} are literal braces.
func parseTemplate(text string) (template, error) {
	var t template
	var plain strings.Builder
	for text != "" {
		i := strings.IndexAny(text, "{}")
		if i < 0 {
			plain.WriteString(text)
			break
		}
		plain.WriteString(text[:i])
		brace := text[i]
		text = text[i+1:]
		if text != "" && text[0] == brace {
			plain.WriteByte(brace)
			text = text[1:]
			continue
		}
		name, rest, closed := strings.Cut(text, "}")
		if brace == '}' || !closed || !isName(name) {
			return nil, errors.New("a brace does not belong to an {argument}; write {{ and }} for literal braces")
		}
		if plain.Len() > 0 {
			t = append(t, part{text: plain.String()})
			plain.Reset()
		}
		t = append(t, part{name: name})
		text = rest
	}
	if plain.Len() > 0 {
		t = append(t, part{text: plain.String()})
	}
	return t, nil
}

// isName reports whether a text is valid as the name of an argument.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// only returns the name of the argument if the template consists of one place.
func (t template) only() (name string, ok bool) {
	if len(t) == 1 && t[0].name != "" {
		return t[0].name, true
	}
	return "", false
}

// names returns the names of the arguments in the template.
func (t template) names() (names []string) {
	for _, p := range t {
		if p.name != "" {
			names = append(names, p.name)
		}
	}
	return names
}

// plain returns the text of a template without places.
func (t template) plain() (string, error) {
	if names := t.names(); len(names) > 0 {
		return "", fmt.Errorf("{%s} is not allowed here, because no argument can choose this part", names[0])
	}
	text, _, err := t.fill(nil, nil)
	return text, err
}

// escaped returns a copy of the template with its own text escaped.
func (t template) escaped(escape func(string) string) template {
	out := make(template, len(t))
	for i, p := range t {
		out[i] = part{escape(p.text), p.name}
	}
	return out
}

// fill inserts the arguments, as escape writes them. The result is incomplete if one is not given.
func (t template) fill(args wire.Map, escape func(name, value string) (string, error)) (text string, complete bool, err error) {
	var out strings.Builder
	for _, p := range t {
		if p.name == "" {
			out.WriteString(p.text)
			continue
		}
		value := args.Get(p.name)
		if value.IsNil() {
			return "", false, nil
		}
		text, err := escape(p.name, textOf(value))
		if err != nil {
			return "", false, err
		}
		out.WriteString(text)
	}
	return out.String(), true, nil
}

// missing returns an error that names the first argument not given.
func (t template) missing(args wire.Map) error {
	for _, name := range t.names() {
		if args.Get(name).IsNil() {
			return &argumentError{name, "is missing"}
		}
	}
	return nil
}

// asItIs writes an argument without escaping.
func asItIs(_, value string) (string, error) { return value, nil }

// textOf returns an argument as text: a string as it is, a whole number without a point, anything else as JSON.
func textOf(value wire.Raw) string {
	if text, ok := value.AsString(); ok {
		return text
	}
	const exact = 1 << 53
	if f, ok := value.AsFloat(); ok && value.Type() == "number" && f == math.Trunc(f) && math.Abs(f) < exact {
		return strconv.FormatInt(int64(f), 10)
	}
	return value.JSON()
}
