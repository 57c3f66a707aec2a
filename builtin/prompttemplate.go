package builtin

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/plaintemplate"
)

// promptTemplate is a template for a system prompt. The author of the configuration writes the template; its data may come
// from anybody. So the template has few functions, and none that makes long output from short input, as printf does. The
// size of its output and the turns of its loops are bounded.
type promptTemplate struct {
	template *plaintemplate.Template
	names    map[string]bool // the names that the root of the data needs
	fields   []string        // the fields of "state", sorted
}

// The bounds of one execution.
const (
	maxPromptBytes = 256 << 10
	maxPromptTurns = 100_000
)

// promptOptions are what a template can use besides the plain functions.
var promptOptions = plaintemplate.Options{
	Functions: map[string]plaintemplate.Function{
		"default": {Params: []plaintemplate.Param{plaintemplate.Any, plaintemplate.Any}, Call: orDefault},
		"join":    {Params: []plaintemplate.Param{plaintemplate.Text, plaintemplate.Any}, Call: joinValues},
		"json":    {Params: []plaintemplate.Param{plaintemplate.Any}, Call: func(args []any) (any, error) { return valueJSON(args[0]) }},
		"lower":   plaintemplate.OfText(strings.ToLower),
		"upper":   plaintemplate.OfText(strings.ToUpper),
		"trim":    plaintemplate.OfText(strings.TrimSpace),
	},
	Show:     showValue,
	MaxTurns: maxPromptTurns,
}

func newPromptTemplate(text string) (*promptTemplate, error) {
	t, err := plaintemplate.Parse("template", text, promptOptions)
	if err != nil {
		return nil, err
	}
	w := promptWalk{template: t, names: map[string]bool{}, fields: map[string]bool{}}
	w.list(t.Root(), true)
	if w.err != nil {
		return nil, w.err
	}
	return &promptTemplate{t, w.names, slices.Sorted(maps.Keys(w.fields))}, nil
}

// execute returns the output of the template.
func (t *promptTemplate) execute(ctx context.Context, data map[string]any) (string, error) {
	var text promptText
	err := t.template.Execute(ctx, &text, data)
	return text.String(), err
}

// promptText collects the output of an execution, and ends one that is too long.
type promptText struct{ strings.Builder }

func (t *promptText) Write(p []byte) (int, error) {
	if t.Len()+len(p) > maxPromptBytes {
		return 0, fmt.Errorf("the prompt is longer than %d KiB", maxPromptBytes>>10)
	}
	return t.Builder.Write(p)
}

// WriteString is Write. That of the builder has no bound.
func (t *promptText) WriteString(s string) (int, error) {
	if t.Len()+len(s) > maxPromptBytes {
		return 0, fmt.Errorf("the prompt is longer than %d KiB", maxPromptBytes>>10)
	}
	return t.Builder.WriteString(s)
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
func orDefault(args []any) (any, error) {
	otherwise, value := args[0], args[1]
	if value == nil || value == "" {
		return otherwise, nil
	}
	return value, nil
}

// joinValues puts a separator, the first argument, between the items of a list, the second one.
func joinValues(args []any) (any, error) {
	separator, _ := args[0].(string)
	list := args[1]
	if list == nil {
		return "", nil
	}
	items, ok := list.([]any)
	if !ok {
		return nil, errors.New("join needs a list")
	}
	texts := make([]string, len(items))
	for i, item := range items {
		var err error
		if texts[i], err = showValue(item); err != nil {
			return nil, err
		}
	}
	return strings.Join(texts, separator), nil
}
