package strictyaml

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// converter turns the parser's tree into nodes. It resolves anchors and aliases, merges keys, and classifies plain scalars by their
// own text.
type converter struct {
	src     *source
	anchors map[string]*node // nil while the anchor's own value is being read
	found   problems
	stopped bool // a limit was reached
}

func (c *converter) problem(at position, path, message, hint string) {
	if !c.stopped {
		c.found.add(at.problem(path, message, hint))
	}
}

func (c *converter) stop(at position, path, message string) {
	c.problem(at, path, message, "")
	c.stopped = true
}

// brokenNode returns a node in place of a value whose problem has already been reported.
func (c *converter) brokenNode(at position) *node {
	n := newScalar(at, KindNull, "", true)
	n.broken = true
	return n
}

func (c *converter) convert(from ast.Node, path string, depth int) *node {
	at := c.position(from)
	if depth > maxDepth {
		c.stop(at, path, (&node{depth: maxDepth + 1}).tooLarge())
	}
	if c.stopped {
		return c.brokenNode(at)
	}
	switch n := from.(type) {
	case nil:
		return newScalar(at, KindNull, "", true)
	case *ast.MappingNode:
		return c.mapping(n, at, path, depth)
	case *ast.SequenceNode:
		return c.sequence(n, at, path, depth)
	case *ast.AnchorNode:
		return c.anchor(n, path, depth)
	case *ast.AliasNode:
		return c.alias(n, at, path)
	case *ast.TagNode:
		return c.tag(n, at, path, depth)
	case *ast.MappingKeyNode:
		return c.convert(n.Value, path, depth+1)
	case *ast.LiteralNode:
		return newScalar(at, KindString, n.Value.Value, false)
	case *ast.MappingValueNode:
		return c.mapping(&ast.MappingNode{Values: []*ast.MappingValueNode{n}}, c.position(n.Key), path, depth)
	}
	return c.scalar(from.GetToken(), at)
}

func (c *converter) scalar(tk *token.Token, at position) *node {
	switch tk.Type {
	case token.SingleQuoteType, token.DoubleQuoteType:
		return newScalar(at, KindString, tk.Value, false)
	case token.ImplicitNullType:
		return newScalar(at, KindNull, "", true)
	}
	return newScalar(at, classify(tk.Value), tk.Value, true)
}

func (c *converter) sequence(from *ast.SequenceNode, at position, path string, depth int) *node {
	list := make([]*node, 0, len(from.Values))
	for i, value := range from.Values {
		item := c.convert(value, indexPath(path, i), depth+1)
		if i < len(from.Entries) && from.Entries[i].Start != nil {
			item = item.absentAt(locate(c.src, from.Entries[i].Start))
		}
		list = append(list, item)
	}
	return newList(at, list)
}

func (c *converter) mapping(from *ast.MappingNode, at position, path string, depth int) *node {
	given := map[string]position{}
	read := make([]entry, 0, len(from.Values))
	for _, value := range from.Values {
		_, merge := value.Key.(*ast.MergeKeyNode)
		key := c.key(value.Key, path, depth)
		if key.broken {
			continue
		}
		if first, ok := given[key.text]; ok {
			c.problem(key.at, path, "key "+quote(key.text)+" is given twice", fmt.Sprintf("the first is in line %d", first.line))
			continue
		}
		given[key.text] = key.at
		item := c.convert(value.Value, childPath(path, key.text), depth+1).absentAt(key.at)
		if merge {
			key = nil
		}
		read = append(read, entry{key, item})
	}
	return newMapping(at, c.merge(read, given, path))
}

// merge inserts the entries of the mappings that << names in place of the <<. Keys that are written out win, then keys of the first
// named mapping.
func (c *converter) merge(read []entry, given map[string]position, path string) []entry {
	entries := make([]entry, 0, len(read))
	for _, e := range read {
		if e.key != nil {
			entries = append(entries, e)
			continue
		}
		sources := []*node{e.value}
		if e.value.kind == KindList {
			sources = e.value.list
		}
		for _, from := range sources {
			if from.kind != KindMap && !from.broken {
				c.problem(e.value.at, path, "<< expects a mapping, found "+from.found(), "")
				break
			}
			for _, inherited := range from.entries {
				if _, ok := given[inherited.key.text]; !ok {
					given[inherited.key.text] = inherited.key.at
					entries = append(entries, inherited)
				}
			}
		}
		if len(entries) > maxNodes {
			c.stop(e.value.at, path, (&node{size: maxNodes + 1}).tooLarge())
			return nil
		}
	}
	return entries
}

func (c *converter) key(from ast.MapKeyNode, path string, depth int) *node {
	if _, ok := from.(*ast.MergeKeyNode); ok {
		return newScalar(c.position(from), KindString, "<<", true)
	}
	key := c.convert(from, path, depth+1)
	if !key.broken && !key.kind.scalar() {
		c.problem(key.at, path, "a key must be a text, found "+key.found(), "")
		return c.brokenNode(key.at)
	}
	return key
}

func (c *converter) anchor(from *ast.AnchorNode, path string, depth int) *node {
	name := from.Name.GetToken().Value
	c.anchors[name] = nil
	value := c.convert(from.Value, path, depth+1).absentAt(c.position(from))
	c.anchors[name] = value
	return value
}

func (c *converter) alias(from *ast.AliasNode, at position, path string) *node {
	name := from.Value.GetToken().Value
	value, ok := c.anchors[name]
	switch {
	case !ok:
		names := make([]string, 0, len(c.anchors))
		for known := range c.anchors {
			names = append(names, known)
		}
		c.problem(at, path, "there is no anchor &"+name+" before this", suggestion(name, names, "anchors"))
	case value == nil:
		c.problem(at, path, "*"+name+" is used inside its own anchor", "")
	default:
		if message := value.tooLarge(); message != "" {
			c.stop(at, path, message)
		}
		return value
	}
	return c.brokenNode(at)
}

var tagKinds = map[string]Kind{
	"!!str": KindString, "!!int": KindInteger, "!!float": KindNumber, "!!bool": KindBool,
	"!!null": KindNull, "!!seq": KindList, "!!map": KindMap,
}

func (c *converter) tag(from *ast.TagNode, at position, path string, depth int) *node {
	name := from.GetToken().Value
	want, ok := tagKinds[name]
	if !ok {
		c.problem(at, path, "the tag "+quote(name)+" is not supported", "quote a text that starts with !")
		return c.brokenNode(at)
	}
	value := c.convert(from.Value, path, depth+1)
	switch {
	case value.broken, value.kind == want, want == KindNumber && value.kind == KindInteger:
	case want == KindString && value.kind.scalar():
		return newScalar(value.at, KindString, value.text, false)
	default:
		c.problem(at, path, "the tag "+name+" does not fit "+value.found(), "")
		return c.brokenNode(at)
	}
	return value
}

// position returns the start of a node. A mapping starts at its first key, while the parser places it at the colon.
func (c *converter) position(from ast.Node) position {
	switch n := from.(type) {
	case nil:
		return c.src.at(1, 1)
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return c.position(n.Values[0].Key)
		}
	case *ast.MappingKeyNode:
		if n.Value != nil {
			return c.position(n.Value)
		}
	}
	tk := from.GetToken()
	if tk == nil || tk.Position == nil {
		return c.src.at(1, 1)
	}
	return locate(c.src, tk)
}
