package reference

import (
	"regexp"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// structuredPrefix is the beginning of the answer to a call that delivered a structured answer.
const structuredPrefix = "Returning structured response: "

// pydanticField matches the first field in the notation in which Python's models print themselves, if its value is a scalar.
var pydanticField = regexp.MustCompile(`^([A-Za-z_]\w*)=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|True|False|None)(?: |$)`)

// asJSON converts the expected answer to a structured call to our notation, which is difference (b). If a run has no
// structured answer in the end, the files use the reference's notation even in the expectation for a host that deviates.
// Other texts stay.
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
