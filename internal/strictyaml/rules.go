package strictyaml

import (
	"fmt"
	"strings"
)

// rules are the rules of a field's strict tag.
type rules struct {
	required    bool
	optional    bool
	unsupported bool
	enum        []string
	min, max    string // as written in the tag; empty if there is no limit
}

// parseRules reads a tag such as `strict:"required,min=1,max=10s"`.
func parseRules(tag string) (r rules, err error) {
	for option := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "":
		case "required":
			r.required = true
		case "optional":
			r.optional = true
		case "unsupported":
			r.unsupported = true
		case "enum":
			r.enum = strings.Split(value, "|")
		case "min":
			r.min = value
		case "max":
			r.max = value
		default:
			return r, fmt.Errorf("unknown strict option %q", name)
		}
	}
	return r, nil
}

// ofElement returns the rules that apply to every entry of a list or mapping.
func (r rules) ofElement() rules { return rules{enum: r.enum} }
