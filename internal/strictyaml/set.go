package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// AssignedKeys returns the keys of the path of an assignment for [WithSet]: a.b[0]=x has the keys a, b and [0]. It returns nil if the
// path is invalid.
func AssignedKeys(assignment string) []string {
	steps, _, err := parsePath(assignment)
	if err != nil {
		return nil
	}
	keys := make([]string, len(steps))
	for i, s := range steps {
		keys[i] = s.key
		if s.index >= 0 {
			keys[i] = indexPath("", s.index)
		}
	}
	return keys
}

// assign applies one key.path=value to a tree and returns the changed tree.
func assign(root *node, assignment string, o *options) (*node, problems) {
	var found problems
	src := &source{name: cmp.Or(o.setFlag, "--set") + " " + cut(shownAssignment(assignment, o.secret))}
	at := src.at(0, 0)
	if !utf8.ValidString(assignment) {
		found.add(at.problem("", "the assignment is not UTF-8", ""))
		return root, found
	}
	steps, rest, err := parsePath(assignment)
	switch {
	case err != nil:
		found.add(at.problem("", err.Error(), "write path.to.key=value"))
		return root, found
	case rest == "":
		found.add(at.problem("", `"=" and a value are missing`, "write path.to.key=value"))
		return root, found
	}
	value, found := assignedValue(src, rest[1:])
	if value == nil {
		return root, found
	}
	a := assigner{at: at, value: value, long: o.long}
	changed := a.apply(root, steps, "")
	if a.problem != nil {
		found.add(*a.problem)
		return root, found
	}
	if message := changed.tooLarge(); message != "" {
		found.add(at.problem("", message, ""))
		return root, found
	}
	return changed, found
}

// assignedValue reads a value as YAML only if it begins like a list, a mapping or a quoted text, so that a prompt may contain a colon
// or a #.
func assignedValue(src *source, text string) (*node, problems) {
	var found problems
	if text == "" {
		return newScalar(src.at(0, 0), KindString, "", false), found
	}
	if !isYAML(text) {
		return newScalar(src.at(0, 0), classify(text), text, true), found
	}
	lines, cleaned, problem := readSource(src.name, []byte(text), &options{maxBytes: defaultMaxBytes})
	if problem == nil {
		var value *node
		if value, found = parseText(lines, cleaned); len(found.list) == 0 {
			return relocated(value, src.at(0, 0)), found
		}
		problem = &found.list[0]
	}
	// the value of a flag has one line, so only the column helps
	where := ""
	if problem.Column > 1 {
		where = fmt.Sprintf("character %d of the value: ", problem.Column)
	}
	found = problems{}
	found.add(src.at(0, 0).problem("", where+problem.Message, `put the value in double quotes if it is a text, in a shell as 'key="[text"'`))
	return nil, found
}

// isYAML reports whether an assigned value is read as YAML.
func isYAML(value string) bool { return value != "" && strings.ContainsRune(`[{"'`, rune(value[0])) }

// relocated copies a tree to another source.
func relocated(n *node, at position) *node {
	moved := *n
	moved.at = at
	moved.list = slices.Clone(n.list)
	for i := range moved.list {
		moved.list[i] = relocated(moved.list[i], at)
	}
	moved.entries = slices.Clone(n.entries)
	for i, e := range moved.entries {
		moved.entries[i] = entry{relocated(e.key, at), relocated(e.value, at)}
	}
	return &moved
}

type assigner struct {
	at      position
	value   *node
	long    func(path, text string) []Pair // see WithShortForms; may be nil
	problem *Problem
}

func (a *assigner) apply(n *node, steps []step, path string) *node {
	if len(steps) == 0 {
		return a.value
	}
	if steps[0].index >= 0 {
		return a.applyIndex(n, steps, path)
	}
	return a.applyKey(n, steps, path)
}

func (a *assigner) applyKey(n *node, steps []step, path string) *node {
	key := steps[0].key
	inside := childPath(path, key)
	if n == nil || n.kind == KindNull {
		n = newMapping(a.at, nil)
	}
	n = a.longForm(n, path)
	if n.kind != KindMap {
		if n.kind == KindList {
			return a.refuse(path, fmt.Sprintf("a list has no key %s; write the number of an entry as %s", quote(key), indexPath(path, 0)))
		}
		return a.refuse(path, fmt.Sprintf("%s has no key %s", n.found(), quote(key)))
	}
	entries := slices.Clone(n.entries)
	for i, e := range entries {
		if e.key.text == key {
			entries[i].value = a.apply(e.value, steps[1:], inside)
			return newMapping(n.at, entries)
		}
	}
	added := entry{newScalar(a.at, KindString, key, false), a.apply(nil, steps[1:], inside)}
	return newMapping(n.at, append(entries, added))
}

// longForm returns the mapping that a text is short for, at the place of the text, or else the node itself.
func (a *assigner) longForm(n *node, path string) *node {
	if n.kind != KindString || a.long == nil {
		return n
	}
	var entries []entry
	for _, pair := range a.long(path, n.text) {
		value := newScalar(n.at, KindString, pair.Text, false)
		if pair.Text == "" {
			value = newScalar(n.at, KindNull, "", true)
		}
		entries = append(entries, entry{newScalar(n.at, KindString, pair.Key, false), value})
	}
	if entries == nil {
		return n
	}
	return newMapping(n.at, entries)
}

func (a *assigner) applyIndex(n *node, steps []step, path string) *node {
	index := steps[0].index
	inside := indexPath(path, index)
	if n == nil || n.kind == KindNull {
		n = newList(a.at, nil)
	}
	if n.kind != KindList {
		return a.refuse(path, fmt.Sprintf("%s has no entry [%d]", n.found(), index))
	}
	list := slices.Clone(n.list)
	switch {
	case index < len(list):
		list[index] = a.apply(list[index], steps[1:], inside)
	case index == len(list):
		list = append(list, a.apply(nil, steps[1:], inside))
	default:
		return a.refuse(path, fmt.Sprintf("the list has no entry [%d]; the next one is [%d]", index, len(list)))
	}
	return newList(n.at, list)
}

func (a *assigner) refuse(path, message string) *node {
	if a.problem == nil {
		problem := a.at.problem(path, message, "")
		a.problem = &problem
	}
	return a.value
}
