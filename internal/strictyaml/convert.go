package strictyaml

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// converter turns the parser's tree into nodes. It resolves anchors and aliases, merges keys, and classifies plain scalars by their
// own text.
type converter struct {
	src       *source
	anchors   map[*yaml.Node]*node // nil while the anchor's own value is being read
	found     problems
	inherited int  // entries that << has copied, in the whole document
	stopped   bool // a limit was reached
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

// at returns the place of a node of the parser, which was given an empty line first.
func (c *converter) at(n *yaml.Node) position { return c.src.at(n.Line-1, n.Column) }

func (c *converter) convert(from *yaml.Node, path string, depth int) *node {
	at := c.at(from)
	if depth > maxDepth {
		c.stop(at, path, (&node{depth: maxDepth + 1}).tooLarge())
	}
	if c.stopped {
		return c.brokenNode(at)
	}
	if from.Kind == yaml.AliasNode {
		return c.alias(from, at, path)
	}
	if from.Anchor != "" {
		c.anchors[from] = nil
	}
	value := c.value(from, path, depth)
	if tagged(from) {
		value = c.tag(from.Tag, value, at, path)
	}
	if from.Anchor != "" {
		c.anchors[from] = value
	}
	return value
}

func (c *converter) value(from *yaml.Node, path string, depth int) *node {
	at := c.start(from)
	if from.Kind == yaml.MappingNode {
		return c.mapping(from, at, path, depth)
	}
	if from.Kind == yaml.SequenceNode {
		list := make([]*node, 0, len(from.Content))
		for i, value := range from.Content {
			list = append(list, c.convert(value, indexPath(path, i), depth+1))
		}
		return newList(at, list)
	}
	text := showHidden.Replace(from.Value)
	written := c.src.line(at.line)[c.src.offset(at.line, at.column):]
	switch {
	case strings.HasPrefix(written, "!") && !tagged(from): // The parser drops a lone "!".
		return c.tag("!", nil, at, path)
	case from.Style&^yaml.TaggedStyle != 0:
		return newScalar(at, KindString, text, false)
	case strings.HasSuffix(text, ":"): // The parser reads the key of {a:} as "a:".
		c.problem(at, path, "an unquoted text ends with a colon", "quote it, or write a space after the colon")
		return c.brokenNode(at)
	case !strings.HasPrefix(written, text): // It has several lines.
		below := c.src.line(at.line + 1)
		if strings.HasPrefix(strings.TrimLeft(below, " "), "- ") {
			c.problem(c.src.at(at.line+1, strings.IndexByte(below, '-')+1), path, "a list item cannot follow a text",
				"remove the text before the list, or quote the whole text")
			return c.brokenNode(at)
		}
	}
	return newScalar(at, classify(text), text, true)
}

func tagged(n *yaml.Node) bool { return n.Style&yaml.TaggedStyle != 0 }

// start returns where a value starts, after its anchor and tag. An absent value starts at the character before it, such as a dash.
func (c *converter) start(from *yaml.Node) position {
	at := c.at(from)
	absent := from.Kind == yaml.ScalarNode && from.Value == "" && from.Style&^yaml.TaggedStyle == 0
	switch bare := from.Anchor == "" && !tagged(from); {
	case absent && bare:
		return c.src.at(at.line, max(at.column-1, 1))
	case absent || bare:
		return at
	}
	properties := ""
	if from.Anchor != "" {
		properties += "&"
	}
	if tagged(from) {
		properties += "!"
	}
	for number, offset := at.line, c.src.offset(at.line, at.column); number <= len(c.src.lines); number, offset = number+1, 0 {
		line := c.src.line(number)
		rest := strings.TrimLeft(line[offset:], " \t")
		for rest != "" && strings.IndexByte(properties, rest[0]) >= 0 {
			rest = strings.TrimLeft(rest[len(firstWord(rest)):], " \t")
		}
		if rest != "" && rest[0] != '#' {
			return c.src.at(number, c.src.column(number, len(line)-len(rest)))
		}
	}
	return at
}

func firstWord(text string) string {
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i]
	}
	return text
}

func (c *converter) mapping(from *yaml.Node, at position, path string, depth int) *node {
	given := map[string]position{}
	read := make([]entry, 0, len(from.Content)/2)
	for i := 0; i < len(from.Content); i += 2 {
		key := c.key(from.Content[i], path, depth)
		if key.broken {
			continue
		}
		if first, ok := given[key.text]; ok {
			c.problem(key.at, path, "key "+quote(key.text)+" is given twice", fmt.Sprintf("the first is in line %d", first.line))
			continue
		}
		given[key.text] = key.at
		item := c.convert(from.Content[i+1], childPath(path, key.text), depth+1).absentAt(key.at)
		if key.plain && key.text == "<<" {
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
					c.inherited++
				}
			}
		}
		if c.inherited > maxNodes {
			c.stop(e.value.at, path, (&node{size: maxNodes + 1}).tooLarge())
			return nil
		}
	}
	return entries
}

func (c *converter) key(from *yaml.Node, path string, depth int) *node {
	key := c.convert(from, path, depth+1)
	if !key.broken && !key.kind.scalar() {
		c.problem(key.at, path, "a key must be a text, found "+key.found(), "")
		return c.brokenNode(key.at)
	}
	return key
}

func (c *converter) alias(from *yaml.Node, at position, path string) *node {
	value := c.anchors[from.Alias]
	if value == nil {
		c.problem(at, path, "*"+from.Value+" is used inside its own anchor", "")
		return c.brokenNode(at)
	}
	if message := value.tooLarge(); message != "" {
		c.stop(at, path, message)
	}
	return value
}

var tagKinds = map[string]Kind{
	"!!str": KindString, "!!int": KindInteger, "!!float": KindNumber, "!!bool": KindBool,
	"!!null": KindNull, "!!seq": KindList, "!!map": KindMap,
}

func (c *converter) tag(name string, value *node, at position, path string) *node {
	want, ok := tagKinds[name]
	switch {
	case !ok:
		c.problem(at, path, "the tag "+quote(name)+" is not supported", "quote a text that starts with !")
		return c.brokenNode(at)
	case value.broken, value.kind == want, want == KindNumber && value.kind == KindInteger:
	case want == KindString && value.kind.scalar():
		return newScalar(value.at, KindString, value.text, false)
	default:
		c.problem(at, path, "the tag "+name+" does not fit "+value.found(), "")
		return c.brokenNode(at)
	}
	return value
}
