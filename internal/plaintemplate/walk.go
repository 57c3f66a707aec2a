package plaintemplate

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"text/template/parse"
)

// list executes the nodes of a list.
func (e *execution) list(dot value, list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		if err := e.node(dot, node); err != nil {
			return err
		}
	}
	return nil
}

func (e *execution) node(dot value, node parse.Node) error {
	switch n := node.(type) {
	case *parse.ActionNode:
		return e.action(dot, n)
	case *parse.BreakNode:
		return errBreak
	case *parse.ContinueNode:
		return errContinue
	case *parse.CommentNode:
		return nil
	case *parse.IfNode:
		return e.branch(dot, &n.BranchNode)
	case *parse.WithNode:
		return e.branch(dot, &n.BranchNode)
	case *parse.RangeNode:
		return e.loop(dot, n)
	case *parse.TextNode:
		_, err := e.out.Write(n.Text)
		return err
	default:
		return e.errorf(node, "unknown node: %s", node)
	}
}

// action evaluates a pipeline and prints its value, unless it sets a variable. The variable exists until the block ends.
func (e *execution) action(dot value, n *parse.ActionNode) error {
	v, err := e.pipeline(dot, n.Pipe)
	if err != nil || len(n.Pipe.Decl) > 0 {
		return err
	}
	text, err := e.options.Show(v.data)
	if err != nil {
		return e.errorf(n, "%w", err)
	}
	_, err = io.WriteString(e.out, text)
	return err
}

// branch executes an if or a with.
func (e *execution) branch(dot value, n *parse.BranchNode) error {
	defer e.forget(len(e.vars))
	v, err := e.pipeline(dot, n.Pipe)
	if err != nil {
		return err
	}
	switch {
	case !v.truth():
		return e.list(dot, n.ElseList)
	case n.NodeType == parse.NodeWith:
		return e.list(v, n.List)
	default:
		return e.list(dot, n.List)
	}
}

// loop executes a range.
func (e *execution) loop(dot value, n *parse.RangeNode) error {
	defer e.forget(len(e.vars))
	v, err := e.pipeline(dot, n.Pipe)
	if err != nil {
		return err
	}
	empty, err := e.turnsOf(n, v)
	if errors.Is(err, errBreak) {
		return nil
	}
	if err != nil || !empty {
		return err
	}
	return e.list(dot, n.ElseList)
}

// turnsOf executes the body of a range for each item of a value. It reports whether there was none.
func (e *execution) turnsOf(n *parse.RangeNode, v value) (empty bool, err error) {
	switch over := v.data.(type) {
	case nil:
	case int, int64, uint64:
		if len(n.Pipe.Decl) > 1 {
			return false, e.errorf(n, "can't use %v to iterate over more than one variable", over)
		}
		return e.count(n, over)
	case []any:
		for i, item := range over {
			if err := e.turn(n, value{data: i}, value{item, true}); err != nil {
				return false, err
			}
		}
		return len(over) == 0, nil
	case []byte:
		for i, item := range over {
			if err := e.turn(n, value{data: i}, value{data: uint64(item)}); err != nil {
				return false, err
			}
		}
		return len(over) == 0, nil
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(over)) {
			if err := e.turn(n, value{data: key}, value{over[key], true}); err != nil {
				return false, err
			}
		}
		return len(over) == 0, nil
	default:
		return false, e.errorf(n, "range can't iterate over a value of type %T", over)
	}
	return true, nil
}

// count executes the body of a range over the numbers below a limit, which have its type.
func (e *execution) count(n *parse.RangeNode, limit any) (empty bool, err error) {
	switch limit := limit.(type) {
	case int:
		for i := range limit {
			if err := e.turn(n, value{}, value{data: i}); err != nil {
				return false, err
			}
		}
		return limit <= 0, nil
	case int64:
		for i := range limit {
			if err := e.turn(n, value{}, value{data: i}); err != nil {
				return false, err
			}
		}
		return limit <= 0, nil
	case uint64:
		for i := range limit {
			if err := e.turn(n, value{}, value{data: i}); err != nil {
				return false, err
			}
		}
		return limit == 0, nil
	}
	return true, nil
}

// turn executes the body of a range once.
func (e *execution) turn(n *parse.RangeNode, index, item value) error {
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	e.turns++
	if e.options.MaxTurns > 0 && e.turns > e.options.MaxTurns {
		return e.errorf(n, "the loops of the template take more than %d turns", e.options.MaxTurns)
	}
	values := []value{item}
	if len(n.Pipe.Decl) > 1 {
		values = []value{index, item}
	}
	top := len(e.vars)
	for i, declared := range n.Pipe.Decl {
		if !n.Pipe.IsAssign { // the pipeline has declared it
			e.vars[top-len(n.Pipe.Decl)+i].value = values[i]
		} else if err := e.set(declared, values[i]); err != nil {
			return err
		}
	}
	defer e.forget(top)
	if err := e.list(item, n.List); !errors.Is(err, errContinue) {
		return err
	}
	return nil
}

// forget drops the variables that were declared after there were n.
func (e *execution) forget(n int) { e.vars = e.vars[:n] }

// set gives a value to a variable that exists.
func (e *execution) set(of *parse.VariableNode, v value) error {
	for i := range slices.Backward(e.vars) {
		if e.vars[i].name == of.Ident[0] {
			e.vars[i].value = v
			return nil
		}
	}
	return e.errorf(of, "undefined variable: %s", of.Ident[0])
}

func (e *execution) get(of *parse.VariableNode) (value, error) {
	for i := range slices.Backward(e.vars) {
		if e.vars[i].name == of.Ident[0] {
			return e.vars[i].value, nil
		}
	}
	return value{}, e.errorf(of, "undefined variable: %s", of.Ident[0])
}
