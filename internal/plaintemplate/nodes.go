package plaintemplate

import (
	"iter"
	"text/template/parse"
)

// Nodes returns all nodes of the template, each before those in it.
func (t *Template) Nodes() iter.Seq[parse.Node] {
	return func(yield func(parse.Node) bool) { visit(t.tree.Root, yield) }
}

// visit yields a node and those in it, and reports whether to go on.
func visit(node parse.Node, yield func(parse.Node) bool) bool {
	if !yield(node) {
		return false
	}
	switch n := node.(type) {
	case *parse.ListNode:
		return visitAll(n.Nodes, yield)
	case *parse.ActionNode:
		return visit(n.Pipe, yield)
	case *parse.IfNode:
		return visitBranch(&n.BranchNode, yield)
	case *parse.WithNode:
		return visitBranch(&n.BranchNode, yield)
	case *parse.RangeNode:
		return visitBranch(&n.BranchNode, yield)
	case *parse.PipeNode:
		return visitAll(n.Cmds, yield)
	case *parse.CommandNode:
		return visitAll(n.Args, yield)
	case *parse.ChainNode:
		return visit(n.Node, yield)
	}
	return true
}

func visitAll[N parse.Node](nodes []N, yield func(parse.Node) bool) bool {
	for _, node := range nodes {
		if !visit(node, yield) {
			return false
		}
	}
	return true
}

func visitBranch(n *parse.BranchNode, yield func(parse.Node) bool) bool {
	return visit(n.Pipe, yield) && visit(n.List, yield) && (n.ElseList == nil || visit(n.ElseList, yield))
}
