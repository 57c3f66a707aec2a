package strictyaml

import (
	"fmt"
	"reflect"
)

// Node is a value of the document that is not decoded yet, with its place. A field of this type accepts any value, so that a caller can
// decide later what to decode it into. The zero Node means "not given".
//
// A Node does not change and may be used by several goroutines. It never prints its value, so that the value of a variable does not get
// into a log by accident.
type Node struct {
	n       *node
	path    string
	secrets *secrets
}

// IsZero reports whether there is no value, not even null.
func (n Node) IsZero() bool { return n.n == nil }

// Expanded reports whether the value is a text that contained variables, which were expanded.
func (n Node) Expanded() bool { return n.n != nil && n.n.expanded }

// Kind returns the kind of the value, or KindInvalid for the zero Node. The value of a variable is a string.
func (n Node) Kind() Kind {
	if n.n == nil {
		return KindInvalid
	}
	return n.n.kind
}

// Line returns the line, counted from 1, or 0 for a value given on the command line.
func (n Node) Line() int {
	if n.n == nil {
		return 0
	}
	return n.n.at.line
}

// Column returns the column in runes, counted from 1, or 0 for a value given on the command line.
func (n Node) Column() int {
	if n.n == nil {
		return 0
	}
	return n.n.at.column
}

// Path returns the path of the value inside the document: middleware[2].config. It is empty at the root.
func (n Node) Path() string { return n.path }

// String describes the kind and the place of the node, but not its value.
func (n Node) String() string {
	if n.n == nil {
		return "no value"
	}
	at := n.n.at.problem(n.path, n.n.kind.String(), "")
	at.Source = ""
	return at.String()
}

// GoString returns the same as String, so that %#v does not print a value either.
func (n Node) GoString() string { return "strictyaml.Node(" + n.String() + ")" }

// Decode decodes the value into the target of into, as the function [Decode] does.
func (n Node) Decode(into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return mistakef("cannot decode into %T: not a pointer", into)
	}
	if n.n == nil {
		return mistakef("there is no value to decode")
	}
	d := decoder{fields: map[reflect.Type]*fields{}, secrets: n.secrets}
	d.decode(n.n, target.Elem(), n.path, rules{})
	if d.mistake != nil {
		return d.mistake
	}
	return d.found.err()
}

// Expand returns the value with its variables expanded, as [WithEnv] does for a whole document. If some cannot be expanded, the
// error lists all of them. You can still decode the returned Node to find more problems; decoding skips those strings.
func (n Node) Expand(lookup func(name string) (string, bool)) (Node, error) {
	expanded, found := n.expand(lookup)
	return expanded, found.err()
}

func (n Node) expand(lookup func(string) (string, bool)) (Node, problems) {
	if n.n == nil {
		return n, problems{}
	}
	hidden := &secrets{}
	if n.secrets != nil {
		hidden.values = append(hidden.values, n.secrets.values...)
	}
	x := expander{lookup: lookup, done: map[*node]*node{}, secrets: hidden}
	expanded := x.expand(n.n, n.path)
	return Node{expanded, n.path, hidden}, x.found
}

// Keys returns the keys of a mapping, in the order of the file. Keys that << merged in have the place of the <<.
func (n Node) Keys() []string {
	if n.n == nil {
		return nil
	}
	keys := make([]string, len(n.n.entries))
	for i, e := range n.n.entries {
		keys[i] = e.key.text
	}
	return keys
}

// Get returns the value of a key of a mapping.
func (n Node) Get(key string) (Node, bool) {
	if n.n != nil {
		if value, ok := n.n.get(key); ok {
			return Node{value, childPath(n.path, key), n.secrets}, true
		}
	}
	return Node{}, false
}

// Key returns the key itself, for a problem of the key rather than of its value. Its path is the path of the mapping.
func (n Node) Key(key string) (Node, bool) {
	if n.n != nil {
		for _, e := range n.n.entries {
			if e.key.text == key {
				return Node{e.key, n.path, n.secrets}, true
			}
		}
	}
	return Node{}, false
}

// Len returns the number of entries of a list or mapping, or 0 for any other value.
func (n Node) Len() int {
	if n.n == nil {
		return 0
	}
	return len(n.n.list) + len(n.n.entries)
}

// Items returns the entries of a list.
func (n Node) Items() []Node {
	if n.n == nil {
		return nil
	}
	items := make([]Node, len(n.n.list))
	for i, item := range n.n.list {
		items[i] = Node{item, indexPath(n.path, i), n.secrets}
	}
	return items
}

// Errorf returns an *Error with one problem at the node. The format may wrap errors with %w. The names of variables replace their
// values, also in arguments.
func (n Node) Errorf(format string, args ...any) error {
	p := problems{}
	p.add(n.problemOf(fmt.Errorf(format, args...)))
	return p.err()
}

// Unknown returns an *Error for a node that is not one of the valid names. The hint has the nearest valid name, or lists all. What is the
// kind of the name: "middleware", "provider".
func (n Node) Unknown(what string, valid []string) error {
	if n.n == nil {
		return n.Errorf("unknown %s", what)
	}
	hint := ""
	if !n.n.expanded {
		hint = suggestion(n.n.text, valid, what+" names")
	}
	p := problems{}
	p.add(n.n.at.problem(n.path, "unknown "+what+" "+quote(n.n.raw), hint))
	return p.err()
}

// problemOf turns an error of other code into a problem at the node.
func (n Node) problemOf(err error) Problem {
	message := hideURLs(n.secrets.hide(err.Error()))
	p := Problem{Path: n.path, Message: message}
	if n.n != nil {
		p = n.n.at.problem(n.path, message, "")
	}
	if message == err.Error() {
		p.cause = err
	}
	return p
}
