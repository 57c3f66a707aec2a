package builtin

import (
	"fmt"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/agenthost/agenthost/internal/plaintemplate"
)

// promptWalk walks through the tree of a [promptTemplate]. It collects the data that the template uses, and refuses unknown
// names.
type promptWalk struct {
	template *plaintemplate.Template
	names    map[string]bool
	fields   map[string]bool
	err      error // the first error
}

// list walks through a list. Root reports whether the dot is the root of the data.
func (w *promptWalk) list(list *parse.ListNode, root bool) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			w.pipe(n.Pipe, root)
		case *parse.IfNode:
			w.branch(&n.BranchNode, root, root)
		case *parse.WithNode:
			w.branch(&n.BranchNode, root, false)
		case *parse.RangeNode:
			w.branch(&n.BranchNode, root, false)
		}
	}
}

// branch walks through an if, with or range. Inside reports whether the dot is the root in its first list.
func (w *promptWalk) branch(n *parse.BranchNode, root, inside bool) {
	w.pipe(n.Pipe, root)
	w.list(n.List, inside)
	w.list(n.ElseList, root)
}

func (w *promptWalk) pipe(pipe *parse.PipeNode, root bool) {
	for _, command := range pipe.Cmds {
		for _, arg := range command.Args {
			w.argument(arg, root)
		}
	}
}

func (w *promptWalk) argument(arg parse.Node, root bool) {
	switch n := arg.(type) {
	case *parse.PipeNode:
		w.pipe(n, root)
	case *parse.ChainNode:
		w.argument(n.Node, root)
	case *parse.DotNode:
		if root {
			w.refuse(n, "it has no value of its own; name what you need, such as .state.NAME")
		}
	case *parse.FieldNode:
		if root {
			w.use(n, n.Ident)
		}
	case *parse.VariableNode:
		if n.Ident[0] == "$" {
			w.use(n, n.Ident[1:])
		}
	}
}

// use records a path from the root of the data.
func (w *promptWalk) use(node parse.Node, path []string) {
	switch {
	case len(path) == 0:
		w.refuse(node, "it has no value of its own; name what you need, such as $.state.NAME")
	case !slices.Contains(promptNames, path[0]):
		w.refuse(node, fmt.Sprintf("there is no %q; use .%s, and .state.NAME for a field of the state",
			path[0], strings.Join(promptNames, ", .")))
	case path[0] != "state":
		w.names[path[0]] = true
	case len(path) == 1:
		w.refuse(node, "name the field of the state, as in .state.NAME")
	default:
		w.fields[path[1]] = true
	}
}

func (w *promptWalk) refuse(node parse.Node, why string) {
	if w.err == nil {
		w.err = w.template.Refuse(node, why)
	}
}
