package plaintemplate

import (
	"strings"
	"text/template/parse"
)

// pipeline evaluates a pipeline and sets its variables.
func (e *execution) pipeline(dot value, pipe *parse.PipeNode) (value, error) {
	var last *value
	for _, command := range pipe.Cmds {
		v, err := e.command(dot, command, last)
		if err != nil {
			return value{}, err
		}
		last = &value{data: v.data}
	}
	for _, declared := range pipe.Decl {
		if !pipe.IsAssign {
			e.vars = append(e.vars, variable{declared.Ident[0], *last})
		} else if err := e.set(declared, *last); err != nil {
			return value{}, err
		}
	}
	return *last, nil
}

// command evaluates a command. Last is the value of the command before, or nil.
func (e *execution) command(dot value, command *parse.CommandNode, last *value) (value, error) {
	args := command.Args
	if n, ok := args[0].(*parse.IdentifierNode); ok {
		return e.call(dot, n, command, args[1:], last)
	}
	if len(args) > 1 || last != nil {
		return value{}, e.misplaced(dot, args[0])
	}
	switch n := args[0].(type) {
	case *parse.NilNode:
		return value{}, e.errorf(n, "nil is not a command")
	default:
		return e.operand(dot, n)
	}
}

// misplaced says that a value was given arguments.
func (e *execution) misplaced(dot value, node parse.Node) error {
	var path []string
	var from value
	var err error
	switch n := node.(type) {
	case *parse.FieldNode:
		path, from = n.Ident, dot
	case *parse.VariableNode:
		path = n.Ident[1:]
		from, err = e.get(n)
	case *parse.ChainNode:
		path = n.Field
		from, err = e.operand(dot, n.Node)
	}
	if err != nil {
		return err
	}
	if len(path) == 0 {
		return e.errorf(node, "can't give argument to non-function %s", node)
	}
	if from, err = e.fields(node, from, path[:len(path)-1]); err != nil {
		return err
	}
	if _, ok := from.data.(map[string]any); ok {
		return e.errorf(node, "%s is not a method but has arguments", path[len(path)-1])
	}
	_, err = e.fields(node, from, path[len(path)-1:])
	return err
}

// operand evaluates an operand other than nil, or a function without arguments.
func (e *execution) operand(dot value, node parse.Node) (value, error) {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.BoolNode:
		return value{data: n.True}, nil
	case *parse.StringNode:
		return value{data: n.Text}, nil
	case *parse.NumberNode:
		return e.number(n)
	case *parse.IdentifierNode:
		return e.call(dot, n, n, nil, nil)
	case *parse.PipeNode:
		return e.pipeline(dot, n)
	case *parse.FieldNode:
		return e.fields(n, dot, n.Ident)
	case *parse.VariableNode:
		v, err := e.get(n)
		if err != nil {
			return value{}, err
		}
		return e.fields(n, v, n.Ident[1:])
	case *parse.ChainNode:
		if n.Node.Type() == parse.NodeNil {
			return value{}, e.errorf(n, "indirection through explicit nil in %s", n)
		}
		v, err := e.operand(dot, n.Node)
		if err != nil {
			return value{}, err
		}
		return e.fields(n, v, n.Field)
	default:
		return value{}, e.errorf(n, "can't evaluate command %q", n)
	}
}

// fields follows a path of keys.
func (e *execution) fields(node parse.Node, v value, path []string) (value, error) {
	for _, key := range path {
		switch data := v.data.(type) {
		case nil:
			if v.boxed {
				return value{}, e.errorf(node, "nil pointer evaluating %s.%s", v.typeName(), key)
			}
			return value{}, e.errorf(node, "nil data; no entry for key %q", key)
		case map[string]any:
			item, ok := data[key]
			if !ok {
				return value{}, e.errorf(node, "map has no entry for key %q", key)
			}
			v = value{item, true}
		default:
			return value{}, e.errorf(node, "can't evaluate field %s in type %s", key, v.typeName())
		}
	}
	return v, nil
}

// number returns the value of a literal. Its text decides whether it is an integer.
func (e *execution) number(n *parse.NumberNode) (value, error) {
	switch {
	case n.IsFloat && isFloatLiteral(n.Text):
		return value{data: n.Float64}, nil
	case n.IsInt && int64(int(n.Int64)) == n.Int64:
		return value{data: int(n.Int64)}, nil
	case n.IsInt, n.IsUint:
		return value{}, e.errorf(n, "%s overflows int", n.Text)
	default:
		return value{}, nil
	}
}

// isFloatLiteral reports whether the text of a number has a point or an exponent. The letter e is a digit of 0xe, and a
// character in 'e'.
func isFloatLiteral(text string) bool {
	hex := len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && !strings.ContainsAny(text, "pP")
	return !hex && text[0] != '\'' && strings.ContainsAny(text, ".eEpP")
}
