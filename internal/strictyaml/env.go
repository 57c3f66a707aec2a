package strictyaml

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// maxExpanded bounds the total length of the values of all variables in a document, in bytes.
const maxExpanded = 16 << 20

// variable matches a "${" at the beginning of a text, up to the first "}".
var variable = lazyregexp.New(`^\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expander expands variables in the strings of a tree. It keeps their values, so that they can be removed from errors.
type expander struct {
	lookup  func(string) (string, bool)
	done    map[*node]*node // aliases share nodes: each is expanded once
	secrets *secrets
	size    int
	found   problems
}

func (x *expander) expand(n *node, path string) *node {
	if known, ok := x.done[n]; ok {
		return known
	}
	result := n
	switch n.kind {
	case KindString:
		result = x.expandText(n, path)
	case KindList:
		changed := make([]*node, len(n.list))
		for i, item := range n.list {
			changed[i] = x.expand(item, indexPath(path, i))
		}
		result = newList(n.at, changed)
	case KindMap:
		changed := make([]entry, len(n.entries))
		for i, e := range n.entries {
			changed[i] = entry{e.key, x.expand(e.value, childPath(path, e.key.text))}
		}
		result = newMapping(n.at, changed)
	default: // other scalars cannot contain variables
	}
	x.done[n] = result
	return result
}

func (x *expander) expandText(n *node, path string) *node {
	if n.expanded || !strings.Contains(n.text, "$") {
		return n
	}
	expanded := *n
	expanded.expanded = true
	var out strings.Builder
	at := n.at
	for text := n.text; text != ""; {
		dollar := strings.IndexByte(text, '$')
		if dollar < 0 {
			out.WriteString(text)
			break
		}
		out.WriteString(text[:dollar])
		text = text[dollar:]
		switch {
		case strings.HasPrefix(text, "$$"):
			out.WriteByte('$')
			text = text[2:]
		case strings.HasPrefix(text, "${"):
			written, value, problem := x.variable(text)
			if at.line > 0 {
				at, _ = at.src.find(written, at)
			}
			if problem.Message != "" {
				x.found.add(at.problem(path, problem.Message, problem.Hint))
				expanded.broken = true
			}
			if at.line > 0 {
				at.column += utf8.RuneCountInString(written)
			}
			out.WriteString(value)
			text = text[len(written):]
			x.size += len(value)
		default:
			out.WriteByte('$')
			text = text[1:]
		}
		if x.size > maxExpanded {
			x.found.add(n.at.problem(path, fmt.Sprintf("variables expand to more than %s", Size(maxExpanded)), ""))
			expanded.broken = true
			break
		}
	}
	expanded.text = out.String()
	return &expanded
}

// variable expands the variable at the beginning of a text. It returns the variable as written, and a problem, which has a message if
// the variable is wrong.
func (x *expander) variable(text string) (written, value string, problem Problem) {
	match := variable().FindStringSubmatch(text)
	if match == nil {
		return "${", "", Problem{Message: "${ does not start a variable", Hint: "write ${NAME} or ${NAME:-default}; write $$ for a single $"}
	}
	written, name, hasDefault, fallback := match[0], match[1], match[2] != "", match[3]
	if strings.Contains(fallback, "${") {
		return written, "", Problem{Message: "a default cannot contain a variable", Hint: "write ${NAME:-text}"}
	}
	value, ok := x.lookup(name)
	switch {
	case value != "":
		x.secrets.add(value, "${"+name+"}")
		return written, value, problem
	case hasDefault:
		return written, fallback, problem
	case !ok:
		problem.Message = "the variable " + name + " is not set"
		problem.Hint = "set it, or give a default: ${" + name + ":-default}"
	}
	return written, "", problem
}
