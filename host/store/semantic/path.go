package semantic

import (
	"fmt"
	"strconv"
	"strings"
)

// path leads from a value to texts in it. An empty one is the whole value.
type path []step

// step is a part of a path; exactly one of its fields is set.
type step struct {
	field   string // a field of a map
	element *int   // an element of a list; from the end if negative
	each    bool   // each element of a list
	all     bool   // each element of a list or field of a map
	several []path // several fields
}

// parsePath reads a path in LangGraph's notation.
func parsePath(text string) (path, error) {
	if text == "$" {
		return nil, nil
	}
	wrong := func(why string) (path, error) {
		return nil, fmt.Errorf(`the field %q of the index %s; a field is like "text", "profile.name", "messages[*].content", "{title,text}" or "$"`, text, why)
	}
	var out path
	for rest := text; rest != ""; {
		switch rest[0] {
		case '[':
			inner, after, ok := strings.Cut(rest[1:], "]")
			if !ok {
				return wrong("has no ] after [")
			}
			rest = after
			if inner == "*" {
				out = append(out, step{each: true})
				break
			}
			i, err := strconv.Atoi(inner)
			if err != nil {
				return wrong("has " + strconv.Quote(inner) + " between brackets, which is neither a number nor *")
			}
			out = append(out, step{element: &i})
		case '{':
			inner, after, ok := strings.Cut(rest[1:], "}")
			if !ok {
				return wrong("has no } after {")
			}
			rest = after
			var several []path
			for name := range strings.SplitSeq(inner, ",") {
				name = strings.TrimSpace(name)
				if strings.ContainsAny(name, "[]{}*$") {
					return wrong("may only have names with dots between braces")
				}
				p, err := parsePath(name)
				if err != nil {
					return wrong("has an empty name between braces")
				}
				several = append(several, p)
			}
			out = append(out, step{several: several})
		default:
			end := strings.IndexAny(rest, ".[{")
			if end < 0 {
				end = len(rest)
			}
			name := rest[:end]
			rest = rest[end:]
			switch {
			case name == "" || strings.ContainsAny(name, "]}"):
				return wrong("has an empty name, or a bracket that is not open")
			case name == "*":
				out = append(out, step{all: true})
			default:
				out = append(out, step{field: name})
			}
		}
		if strings.HasPrefix(rest, ".") {
			if rest = rest[1:]; rest == "" {
				return wrong("ends with a dot")
			}
		}
	}
	if len(out) == 0 {
		return wrong("is empty")
	}
	return out, nil
}
