package builtin

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	texttemplate "text/template"
	"text/template/parse"

	"github.com/agenthost/agenthost/abi/wire"
)

// promptTemplate is a template for a system prompt. The author of the configuration writes the template; its data may come
// from anybody. So the template has few functions, and none that makes long output from short input, as printf does. The
// size of its output and the turns of its loops are bounded. Its data are maps, lists, texts, numbers and booleans, which
// have no methods.
type promptTemplate struct {
	template *texttemplate.Template
	names    map[string]bool // the names that the root of the data needs
	fields   []string        // the fields of "state", sorted
}

// The bounds of one execution.
const (
	maxPromptBytes = 256 << 10
	maxPromptTurns = 100_000
)

// budgetKey is the key of the *promptBudget in the root of the data. No template can read it: a field needs a name, and the
// root as a whole is refused.
const budgetKey = ""

// plainFunctions are the functions of text/template that a template can use.
var plainFunctions = []string{"and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len", "index"}

// promptFunctions are the other functions that a template can use.
var promptFunctions = texttemplate.FuncMap{
	"default": orDefault, "join": joinValues, "json": valueJSON,
	"lower": strings.ToLower, "upper": strings.ToUpper, "trim": strings.TrimSpace,
}

// These functions cannot be named by a template.
const (
	showFunction = "_show" // ends each action that prints
	turnFunction = "_turn" // begins each turn of a loop
)

var treeFunctions = texttemplate.FuncMap{showFunction: showValue, turnFunction: countTurn}

func newPromptTemplate(text string) (*promptTemplate, error) {
	const name = "template"
	plain := map[string]any{}
	for _, function := range plainFunctions {
		plain[function] = true // the parser only checks that the function exists
	}
	trees, err := parse.Parse(name, text, "", "", promptFunctions, plain)
	if err != nil {
		return nil, err
	}
	if len(trees) > 1 {
		return nil, errors.New("template: define and block are not supported; write their content in place")
	}
	tree := trees[name]
	w := promptWalk{tree: tree, names: map[string]bool{}, fields: map[string]bool{}}
	w.list(tree.Root, true)
	if w.err != nil {
		return nil, w.err
	}
	t, err := texttemplate.New(name).Funcs(promptFunctions).Funcs(treeFunctions).Option("missingkey=error").AddParseTree(name, tree)
	return &promptTemplate{t, w.names, slices.Sorted(maps.Keys(w.fields))}, err
}

// execute returns the output of the template.
func (t *promptTemplate) execute(ctx context.Context, data map[string]any) (string, error) {
	b := &promptBudget{ctx: ctx}
	data[budgetKey] = b
	if err := t.template.Execute(b, data); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", err
	}
	return b.text.String(), nil
}

// promptBudget collects the output of an execution, and ends an execution that is too long or too slow.
type promptBudget struct {
	ctx   context.Context //nolint:containedctx // belongs to one execution
	text  strings.Builder
	turns int
}

func (b *promptBudget) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > maxPromptBytes {
		return 0, fmt.Errorf("the prompt is longer than %d KiB", maxPromptBytes>>10)
	}
	return b.text.Write(p)
}

// countTurn is called in each turn of a loop, with the root of the data.
func countTurn(root map[string]any) (string, error) {
	b, ok := root[budgetKey].(*promptBudget)
	if !ok {
		return "", errors.New("there is no budget")
	}
	b.turns++
	if b.turns > maxPromptTurns {
		return "", fmt.Errorf("the loops of the template take more than %d turns", maxPromptTurns)
	}
	return "", b.ctx.Err()
}

// showValue returns the printed form of a value: a text as it is, nothing for nil, and JSON for other values.
func showValue(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []byte:
		return base64.StdEncoding.EncodeToString(v), nil
	default:
		return valueJSON(v)
	}
}

func valueJSON(value any) (string, error) {
	raw, err := wire.Of(value)
	if err != nil {
		return "", err
	}
	return raw.JSON(), nil
}

// orDefault returns value, or the default if value is nil or the empty text.
func orDefault(otherwise, value any) any {
	if value == nil || value == "" {
		return otherwise
	}
	return value
}

func joinValues(separator string, list any) (string, error) {
	if list == nil {
		return "", nil
	}
	items, ok := list.([]any)
	if !ok {
		return "", errors.New("join needs a list")
	}
	texts := make([]string, len(items))
	for i, item := range items {
		var err error
		if texts[i], err = showValue(item); err != nil {
			return "", err
		}
	}
	return strings.Join(texts, separator), nil
}
