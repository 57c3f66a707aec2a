package reference

import (
	"regexp"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// structuredPrefix begins the answer to a call that brought a structured answer.
const structuredPrefix = "Returning structured response: "

// pydanticField matches the first field of the notation that Python's models print themselves in, where its value is a scalar.
var pydanticField = regexp.MustCompile(`^([A-Za-z_]\w*)=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|True|False|None)(?: |$)`)

// asJSON is the expected answer to a structured call in our notation, difference (b): where a run has no structured answer in
// the end, the files have the reference's notation also in what a host that differs is compared with. Other texts stay.
func asJSON(want string) string {
	rest, ok := strings.CutPrefix(want, structuredPrefix)
	if !ok {
		return want
	}
	var object wire.Map
	for rest != "" {
		match := pydanticField.FindStringSubmatch(rest)
		if match == nil {
			return want
		}
		value, err := wire.FromJSON([]byte(pythonJSON(match[2])), wire.DefaultLimits)
		if err != nil {
			return want
		}
		object.Set(match[1], value)
		rest = rest[len(match[0]):]
	}
	raw, err := wire.Canonical(object.Raw(), wire.DefaultLimits)
	if len(object) == 0 || err != nil {
		return want
	}
	return structuredPrefix + wire.Raw(raw).JSON()
}

// pythonJSON writes a scalar of Python as JSON.
func pythonJSON(text string) string {
	switch text {
	case "True", "False":
		return strings.ToLower(text)
	case "None":
		return "null"
	}
	if text[0] != '\'' && text[0] != '"' {
		return text
	}
	inner := strings.ReplaceAll(text[1:len(text)-1], `\'`, `'`)
	return `"` + strings.ReplaceAll(inner, `"`, `\"`) + `"`
}
