package plaintemplate

import "text/template/parse"

// plainFunction is a function that each template can use.
type plainFunction struct {
	call     func(args []value) (value, error) // nil: the evaluation of its arguments is special
	params   int
	variadic bool // any number of arguments may follow
}

// plainFunctions are the functions of package text/template that each template can use.
var plainFunctions = map[string]plainFunction{
	"and":   {params: 1, variadic: true},
	"or":    {params: 1, variadic: true},
	"not":   {call: func(args []value) (value, error) { return value{data: !args[0].truth()}, nil }, params: 1},
	"eq":    {call: comparison(equal), params: 1, variadic: true},
	"ne":    {call: comparison(unequal), params: 2},
	"lt":    {call: comparison(less), params: 2},
	"le":    {call: comparison(lessOrEqual), params: 2},
	"gt":    {call: comparison(greater), params: 2},
	"ge":    {call: comparison(greaterOrEqual), params: 2},
	"len":   {call: length, params: 1},
	"index": {call: index, params: 1, variadic: true},
}

// call calls a function. Node is the command of the call, and last its final argument, the value of the command before.
func (e *execution) call(dot value, name *parse.IdentifierNode, node parse.Node, args []parse.Node, last *value) (value, error) {
	given := len(args)
	if last != nil {
		given++
	}
	if f, ok := e.options.Functions[name.Ident]; ok {
		if given != len(f.Params) {
			return value{}, e.errorf(name, "wrong number of args for %s: want %d got %d", name.Ident, len(f.Params), given)
		}
		return e.callOwn(dot, name, node, f, args, last)
	}
	f := plainFunctions[name.Ident]
	switch {
	case f.variadic && given < f.params:
		return value{}, e.errorf(name, "wrong number of args for %s: want at least %d got %d", name.Ident, f.params, len(args))
	case !f.variadic && given != f.params:
		return value{}, e.errorf(name, "wrong number of args for %s: want %d got %d", name.Ident, f.params, given)
	case f.call == nil:
		return e.connect(dot, name.Ident == "or", args, last)
	}
	values := make([]value, 0, given)
	for _, arg := range args {
		v, err := e.argument(dot, arg)
		if err != nil {
			return value{}, err
		}
		values = append(values, v)
	}
	if last != nil {
		values = append(values, *last)
	}
	v, err := f.call(values)
	if err != nil {
		return value{}, e.errorf(node, "error calling %s: %w", name.Ident, err)
	}
	return v, nil
}

// connect evaluates and, and or: the first argument that decides, or the last one. It does not evaluate those after it.
func (e *execution) connect(dot value, or bool, args []parse.Node, last *value) (value, error) {
	var v value
	for _, arg := range args {
		var err error
		if v, err = e.argument(dot, arg); err != nil || v.truth() == or {
			return v, err
		}
	}
	if last != nil {
		v = *last
	}
	return v, nil
}

// callOwn calls a function of the caller.
func (e *execution) callOwn(
	dot value, name *parse.IdentifierNode, node parse.Node, f Function, args []parse.Node, last *value,
) (value, error) {
	values := make([]any, 0, len(f.Params))
	at := parse.Node(name)
	for i, arg := range args {
		v, err := e.parameter(dot, arg, f.Params[i])
		if err != nil {
			return value{}, err
		}
		values, at = append(values, v.data), arg
	}
	if last != nil {
		if err := e.assignable(at, *last, f.Params[len(args)]); err != nil {
			return value{}, err
		}
		values = append(values, last.data)
	}
	result, err := f.Call(values)
	if err != nil {
		return value{}, e.errorf(node, "error calling %s: %w", name.Ident, err)
	}
	return value{result, true}, nil
}

// argument evaluates an argument that may be anything.
func (e *execution) argument(dot value, node parse.Node) (value, error) {
	if node.Type() == parse.NodeNil {
		return value{}, nil
	}
	return e.operand(dot, node)
}

// parameter evaluates an argument for a parameter.
func (e *execution) parameter(dot value, node parse.Node, p Param) (value, error) {
	if p == Any {
		return e.argument(dot, node)
	}
	switch n := node.(type) {
	case *parse.NilNode:
		return value{}, e.errorf(n, "cannot assign nil to string")
	case *parse.BoolNode, *parse.NumberNode:
		return value{}, e.errorf(n, "expected string; found %s", n)
	}
	v, err := e.operand(dot, node)
	if err != nil {
		return value{}, err
	}
	return v, e.assignable(node, v, p)
}

// assignable checks that a value fits a parameter.
func (e *execution) assignable(at parse.Node, v value, p Param) error {
	switch v.data.(type) {
	case string:
		return nil
	case nil:
		switch {
		case p == Any:
			return nil
		case v.boxed:
			return e.errorf(at, "wrong type for value; expected string; got %s", v.typeName())
		default:
			return e.errorf(at, "invalid value; expected string")
		}
	default:
		if p == Any {
			return nil
		}
		return e.errorf(at, "wrong type for value; expected string; got %T", v.data)
	}
}

// comparison makes a function of a template from one that compares.
func comparison(compare func(args []value) (bool, error)) func([]value) (value, error) {
	return func(args []value) (value, error) {
		is, err := compare(args)
		return value{data: is}, err
	}
}
