// Package plaintemplate executes templates in the syntax of Go's package text/template, on plain data: maps, lists, texts, numbers
// and booleans.
//
// It evaluates the trees of text/template/parse itself. Package text/template can call any exported method of its data by
// name, and a program that links it keeps the exported methods of all its types: megabytes. A template here reaches no Go
// code but the functions that its caller gives to it, and it has bounds on its loops.
//
// Everything else is as in text/template with the option missingkey=error, except that define, block, template and complex
// numbers are refused, and that only these functions exist: and, or, not, eq, ne, lt, le, gt, ge, len, index and those of the
// caller.
package plaintemplate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"text/template/parse"
)

// Options are what a template may use. The zero value has no functions of its own, no bound and prints with fmt.Sprint.
type Options struct {
	Functions map[string]Function
	Show      func(any) (string, error) // returns the printed form of a value; it is given nil for a value that is not set
	MaxTurns  int                       // the maximum number of turns of all loops of one execution; 0: no bound
}

// Function is a function that a template can call.
type Function struct {
	Params []Param
	Call   func(args []any) (any, error) // with as many arguments as Params
}

// Param is the type of a parameter.
type Param int

// The types of parameters.
const (
	Any  Param = iota // any value, also nil
	Text              // a string
)

// OfText makes a function with one parameter, a string.
func OfText(f func(string) string) Function {
	return Function{[]Param{Text}, func(args []any) (any, error) {
		text, ok := args[0].(string)
		if !ok {
			return nil, fmt.Errorf("the argument is a %T; give it a string", args[0])
		}
		return f(text), nil
	}}
}

// Template is a parsed template. It is safe for concurrent use.
type Template struct {
	tree    *parse.Tree
	options Options
}

// Parse parses a template. The name begins the texts of errors.
func Parse(name, text string, options Options) (*Template, error) {
	known := map[string]any{} // the parser only checks that a function exists
	for function := range plainFunctions {
		known[function] = true
	}
	for function := range options.Functions {
		known[function] = true
	}
	trees, err := parse.Parse(name, text, "", "", known)
	if err != nil {
		return nil, err
	}
	if len(trees) > 1 {
		return nil, fmt.Errorf("%s: define and block are not supported; write their content in place", name)
	}
	options.Functions = maps.Clone(options.Functions)
	if options.Show == nil {
		options.Show = func(v any) (string, error) { return fmt.Sprint(v), nil }
	}
	t := &Template{trees[name], options}
	for node := range t.Nodes() {
		switch n := node.(type) {
		case *parse.TemplateNode:
			return nil, t.Refuse(n, "template is not supported")
		case *parse.NumberNode:
			if n.IsComplex {
				return nil, t.Refuse(n, "complex numbers are not supported")
			}
		}
	}
	return t, nil
}

// Root returns the content of the template. It must not be changed.
func (t *Template) Root() *parse.ListNode { return t.tree.Root }

// Refuse returns an error that names the place of a node.
func (t *Template) Refuse(node parse.Node, why string) error {
	location, text := t.tree.ErrorContext(node)
	return fmt.Errorf("%s: <%s>: %s", location, text, why)
}

// Execute writes the output of the template. The data must consist of nil, bool, int, int64, uint64, float64, string, []byte,
// []any and map[string]any. If Execute fails, it may have written a part. It fails with the cause of ctx when that ends.
func (t *Template) Execute(ctx context.Context, out io.Writer, data map[string]any) error {
	root := value{data: data}
	e := &execution{Template: t, ctx: ctx, out: out, vars: []variable{{"$", root}}}
	return e.list(root, t.tree.Root)
}

// execution is one execution of a template.
type execution struct {
	*Template
	ctx   context.Context //nolint:containedctx // belongs to one execution
	out   io.Writer
	vars  []variable
	turns int
}

// variable is a variable of a template, such as $x. A later one hides an earlier one of the same name.
type variable struct {
	name  string
	value value
}

// errorf returns an error that names the node where it happened.
func (e *execution) errorf(at parse.Node, format string, args ...any) error {
	location, text := e.tree.ErrorContext(at)
	return fmt.Errorf("template: %s: executing %q at <%s>: %w", location, e.tree.Name, text, fmt.Errorf(format, args...))
}

// These errors end a turn of a loop, or the loop.
var (
	errBreak    = errors.New("break outside of a loop")
	errContinue = errors.New("continue outside of a loop")
)
