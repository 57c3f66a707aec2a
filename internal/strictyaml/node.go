package strictyaml

import (
	"fmt"
	"reflect"
)

// Node is a value of the document that is not decoded yet, and knows where it stands. As the type of a field it takes any
// value, for a caller that learns only later what to decode it into. The zero Node is "not given".
//
// A Node does not change and may be used by several goroutines. It never prints its value, so that what a variable
// expanded to does not get into a log by accident.
type Node struct {
	n       *node
	path    string
	secrets *secrets
}

// IsZero reports whether there is no value, not even null.
func (n Node) IsZero() bool { return n.n == nil }

// Kind is what the value is; KindInvalid for the zero Node. What a variable expanded to is a string.
func (n Node) Kind() Kind {
	if n.n == nil {
		return KindInvalid
	}
	return n.n.kind
}

// Line counts from 1. It is 0 for a value given on the command line.
func (n Node) Line() int {
	if n.n == nil {
		return 0
	}
	return n.n.at.line
}

// Column counts runes from 1. It is 0 for a value given on the command line.
func (n Node) Column() int {
	if n.n == nil {
		return 0
	}
	return n.n.at.column
}

// Path leads to the value inside the document: middleware[2].config. Empty at the root.
func (n Node) Path() string { return n.path }

// String says what the node is and where, not what its value is.
func (n Node) String() string {
	if n.n == nil {
		return "no value"
	}
	at := n.n.at.problem(n.path, n.n.kind.String(), "")
	at.Source = ""
	return at.String()
}

// GoString is String, so that %#v does not print a value either.
func (n Node) GoString() string { return "strictyaml.Node(" + n.String() + ")" }

// Decode reads the value into what into points to, as the function [Decode] does.
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

// Expand returns the value with its variables expanded, as [WithEnv] does for a whole document. When some cannot be expanded the
// error has them all, and the Node is still good for finding more problems: decoding it skips those strings.
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

// Keys are the keys of a mapping, in the order of the file; those that << merged in stand where it stands.
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

// Key returns the key itself, for a problem that is about the key and not about its value. Its path is that of the mapping.
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

// Len is the number of entries of a list or mapping; 0 for anything else.
func (n Node) Len() int {
	if n.n == nil {
		return 0
	}
	return len(n.n.list) + len(n.n.entries)
}

// Items are the entries of a list.
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

// Errorf returns an *Error with one problem at the node. The format may wrap errors with %w. What variables expanded to
// is replaced by their names, also when it came in an argument.
func (n Node) Errorf(format string, args ...any) error {
	p := problems{}
	p.add(n.problemOf(fmt.Errorf(format, args...)))
	return p.err()
}

// Unknown returns an *Error that says that the node, a name, is none of the valid ones, with the nearest of them or the list. What
// says what it names: "middleware", "provider".
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

// problemOf places an error of somebody else at the node.
func (n Node) problemOf(err error) Problem {
	message := n.secrets.hide(err.Error())
	p := Problem{Path: n.path, Message: message}
	if n.n != nil {
		p = n.n.at.problem(n.path, message, "")
	}
	if message == err.Error() {
		p.cause = err
	}
	return p
}
