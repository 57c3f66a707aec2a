package builtin

import (
	"fmt"
	"slices"
	"strings"
	"text/template/parse"
)

// promptWalk walks through the tree of a [promptTemplate]. It collects the data that the template uses, refuses unknown
// names, and adds functions to printing actions and loops.
type promptWalk struct {
	tree   *parse.Tree
	names  map[string]bool
	fields map[string]bool
	err    error // the first error
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
			if len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(n.Pipe.Cmds, w.command(n.Pos, showFunction))
			}
		case *parse.IfNode:
			w.branch(&n.BranchNode, root, root)
		case *parse.WithNode:
			w.branch(&n.BranchNode, root, false)
		case *parse.RangeNode:
			w.branch(&n.BranchNode, root, false)
			turn := w.command(n.Pos, turnFunction, &parse.VariableNode{NodeType: parse.NodeVariable, Pos: n.Pos, Ident: []string{"$"}})
			action := &parse.ActionNode{NodeType: parse.NodeAction, Pos: n.Pos, Line: n.Line}
			action.Pipe = &parse.PipeNode{NodeType: parse.NodePipe, Pos: n.Pos, Line: n.Line, Cmds: []*parse.CommandNode{turn}}
			n.List.Nodes = slices.Insert(n.List.Nodes, 0, parse.Node(action))
		case *parse.TemplateNode:
			w.refuse(n, "template is not supported")
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
		location, text := w.tree.ErrorContext(node)
		w.err = fmt.Errorf("%s: <%s>: %s", location, text, why)
	}
}

func (w *promptWalk) command(at parse.Pos, function string, args ...parse.Node) *parse.CommandNode {
	name := parse.NewIdentifier(function).SetTree(w.tree).SetPos(at)
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at, Args: append([]parse.Node{name}, args...)}
}
