package strictyaml

import "fmt"

const (
	// maxNodes bounds the values of a document, including values that aliases repeat: nine lines of aliases can stand for a billion
	// values.
	maxNodes = 100_000
	// maxDepth bounds the nesting of lists and mappings.
	maxDepth = 100
)

// node is a value of the document. Nodes never change once built: aliases share them, and an assignment
// or an expansion copies the nodes on the path to the changed node.
type node struct {
	kind  Kind
	at    position
	plain bool // an unquoted scalar
	text  string
	// raw is the text before variables were expanded, which messages show. Without variables and secrets it equals text.
	raw      string
	secret   bool // raw does not show the text
	expanded bool // the text contained variables
	broken   bool // a problem of the node has already been reported
	list     []*node
	entries  []entry

	size  int // the number of values in the tree, including repeated ones
	depth int // the number of levels of lists and mappings
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

// absentAt gives a missing value (a "key:" with nothing after it) the place of the token before it.
func (n *node) absentAt(at position) *node {
	if n.kind != KindNull || n.text != "" {
		return n
	}
	moved := *n
	moved.at = at
	return &moved
}

// tooLarge returns a message if the tree exceeds a limit, and "" otherwise.
func (n *node) tooLarge() string {
	switch {
	case n.size > maxNodes:
		return fmt.Sprintf("the document has more than %d values, including values that aliases repeat", maxNodes)
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

// resolved returns the kind of the value for a target other than a string. The value of a variable may be read as a number, but only if
// it is not quoted and the target is a number.
func (n *node) resolved() Kind {
	if n.expanded && n.plain {
		return classify(n.text)
	}
	return n.kind
}

// found describes the node for a message, without the values of variables.
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
