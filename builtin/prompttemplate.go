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

// promptTemplate is a template for a system prompt. Who writes the configuration writes it; its data may come from anybody.
// So it has few functions, and none that makes much out of little, as printf does; what it writes and how long it loops is
// bounded; and the data is maps, lists, texts, numbers and booleans, which have no methods.
type promptTemplate struct {
	template *texttemplate.Template
	names    map[string]bool // that the root of the data must have
	fields   []string        // those below "state", sorted
}

// The bounds of one execution.
const (
	maxPromptBytes = 256 << 10
	maxPromptTurns = 100_000
)

// budgetKey is where the root of the data has the *promptBudget. No template can say it: a field has a name, and the root
// as a whole is refused.
const budgetKey = ""

// plainFunctions are those of text/template's own functions that a template can name.
var plainFunctions = []string{"and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len", "index"}

// promptFunctions are the others.
var promptFunctions = texttemplate.FuncMap{
	"default": orDefault, "join": joinValues, "json": valueJSON,
	"lower": strings.ToLower, "upper": strings.ToUpper, "trim": strings.TrimSpace,
}

// The functions that no template can name.
const (
	showFunction = "_show" // stands behind what an action prints
	turnFunction = "_turn" // begins what a loop repeats
)

var treeFunctions = texttemplate.FuncMap{showFunction: showValue, turnFunction: countTurn}

func newPromptTemplate(text string) (*promptTemplate, error) {
	const name = "template"
	plain := map[string]any{}
	for _, function := range plainFunctions {
		plain[function] = true // there is one: that is all that the parser wants to know
	}
	trees, err := parse.Parse(name, text, "", "", promptFunctions, plain)
	if err != nil {
		return nil, err
	}
	if len(trees) > 1 {
		return nil, errors.New("template: define and block are not supported; write what they hold where it stands")
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

// execute returns what the template makes of the data.
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

// promptBudget takes what an execution writes, and ends it when that, or its time, is too much.
type promptBudget struct {
	ctx   context.Context //nolint:containedctx // of the one execution
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

// showValue is how values show: texts as they are, nothing as nothing, all others as JSON.
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

// orDefault returns value, or otherwise where value is nothing or the empty text.
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
