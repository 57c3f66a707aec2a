package semantic

import (
	"errors"
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
	out, err := steps(text)
	if err != nil {
		return nil, fmt.Errorf(`the field %q of the index %w; a field is like "text", "profile.name", "messages[*].content", "{title,text}" or "$"`, text, err)
	}
	return out, nil
}

// steps reads the steps of a path.
func steps(rest string) (out path, err error) {
	if rest == "" {
		return nil, errors.New("is empty")
	}
	for rest != "" {
		var next step
		switch rest[0] {
		case '[':
			next, rest, err = elementStep(rest[1:])
		case '{':
			next, rest, err = severalStep(rest[1:])
		default:
			next, rest, err = nameStep(rest)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, next)
		if after, dot := strings.CutPrefix(rest, "."); dot {
			if rest = after; rest == "" {
				return nil, errors.New("ends with a dot")
			}
		}
	}
	return out, nil
}

func elementStep(text string) (s step, rest string, err error) {
	inner, rest, ok := strings.Cut(text, "]")
	if !ok {
		return step{}, "", errors.New("has no ] after [")
	}
	if inner == "*" {
		return step{each: true}, rest, nil
	}
	i, err := strconv.Atoi(inner)
	if err != nil {
		return step{}, "", fmt.Errorf("has %q between brackets, which is neither a number nor *", inner)
	}
	return step{element: &i}, rest, nil
}

func severalStep(text string) (s step, rest string, err error) {
	inner, rest, ok := strings.Cut(text, "}")
	if !ok {
		return step{}, "", errors.New("has no } after {")
	}
	for name := range strings.SplitSeq(inner, ",") {
		name = strings.TrimSpace(name)
		if strings.ContainsAny(name, "[]{}*$") {
			return step{}, "", errors.New("may only have names with dots between braces")
		}
		p, err := steps(name)
		if err != nil {
			return step{}, "", errors.New("has an empty name between braces")
		}
		s.several = append(s.several, p)
	}
	return s, rest, nil
}

func nameStep(text string) (s step, rest string, err error) {
	end := strings.IndexAny(text, ".[{")
	if end < 0 {
		end = len(text)
	}
	switch name := text[:end]; {
	case name == "" || strings.ContainsAny(name, "]}"):
		return step{}, "", errors.New("has an empty name, or a bracket that is not open")
	case name == "*":
		return step{all: true}, text[end:], nil
	default:
		return step{field: name}, text[end:], nil
	}
}
