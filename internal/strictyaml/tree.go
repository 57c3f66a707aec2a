package strictyaml

import "fmt"

const (
	// maxNodes bounds the values of a document, those that aliases repeat included: nine lines of
	// aliases can stand for a billion values.
	maxNodes = 100_000
	// maxDepth bounds the nesting of lists and mappings.
	maxDepth = 100
)

// node is a value of the document. Nodes never change once built: aliases share them, and an assignment
// or an expansion copies what leads to the changed one.
type node struct {
	kind  Kind
	at    position
	plain bool // an unquoted scalar
	text  string
	// raw is the text before variables were expanded; what messages show. Equal to text otherwise.
	raw      string
	expanded bool // variables were expanded in it
	broken   bool // a problem of it is already known
	list     []*node
	entries  []entry

	size  int // values in the tree, repeated ones counted again
	depth int // levels of lists and mappings
}

type entry struct {
	key, value *node
}

func newScalar(at position, kind Kind, text string, plain bool) *node {
	return &node{kind: kind, at: at, plain: plain, text: text, raw: text, size: 1}
}

func newList(at position, list []*node) *node {
	n := &node{kind: KindList, at: at, list: list, size: 1}
	for _, item := range list {
		n.include(item)
	}
	n.depth++
	return n
}

func newMapping(at position, entries []entry) *node {
	n := &node{kind: KindMap, at: at, entries: entries, size: 1}
	for _, e := range entries {
		n.size++
		n.include(e.value)
	}
	n.depth++
	return n
}

func (n *node) include(child *node) {
	n.size = min(n.size+child.size, maxNodes+1)
	n.depth = max(n.depth, child.depth)
}

// absentAt gives a value that is not written at all (key: and nothing behind it) the place of what stands before it.
func (n *node) absentAt(at position) *node {
	if n.kind != KindNull || n.text != "" {
		return n
	}
	moved := *n
	moved.at = at
	return &moved
}

// tooLarge says which limit the tree is over, if any.
func (n *node) tooLarge() string {
	switch {
	case n.size > maxNodes:
		return fmt.Sprintf("the document has more than %d values, counting what aliases repeat", maxNodes)
	case n.depth > maxDepth:
		return fmt.Sprintf("lists and mappings are nested deeper than %d levels", maxDepth)
	}
	return ""
}

// get returns the value of a key.
func (n *node) get(key string) (*node, bool) {
	for _, e := range n.entries {
		if e.key.text == key {
			return e.value, true
		}
	}
	return nil, false
}

// resolved is the kind that a target other than a string may take the value for: what variables expanded to may
// be read as a number, but only without quotes and only where a number is wanted.
func (n *node) resolved() Kind {
	if n.expanded && n.plain {
		return classify(n.text)
	}
	return n.kind
}

// found describes the node in a message, never with what a variable expanded to.
func (n *node) found() string {
	switch n.kind {
	case KindString:
		return "string " + quote(n.raw)
	case KindBool, KindInteger, KindNumber:
		return n.kind.String() + " " + cut(n.raw)
	default:
		return n.kind.String()
	}
}
