package builtin

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ShellCommands is a list of texts. A manifest may have a single text instead.
type ShellCommands []string

// UnmarshalYAML decodes a text or a list of texts.
func (c *ShellCommands) UnmarshalYAML(decode func(into any) error) error {
	var form any
	if err := decode(&form); err != nil {
		return err
	}
	if text, ok := form.(string); ok {
		*c = ShellCommands{text}
		return nil
	}
	return decode((*[]string)(c))
}

// JSONSchema describes both forms.
func (ShellCommands) JSONSchema() map[string]any {
	text := map[string]any{"type": "string"}
	return map[string]any{"oneOf": []any{text, map[string]any{"type": "array", "items": text}}}
}

// ShellEnv are environment variables. In a manifest, a value may also be a number, true or false.
type ShellEnv map[string]string

// UnmarshalYAML decodes a mapping.
func (e *ShellEnv) UnmarshalYAML(decode func(into any) error) error {
	var given map[string]any
	if err := decode(&given); err != nil {
		return err
	}
	out := make(ShellEnv, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch value := given[name].(type) {
		case string:
			out[name] = value
		case bool:
			out[name] = strconv.FormatBool(value)
		case int64, float64:
			out[name] = fmt.Sprint(value)
		default:
			return fmt.Errorf("the variable %s must be a text, a number, true or false", name)
		}
	}
	*e = out
	return nil
}

// JSONSchema describes the mapping.
func (ShellEnv) JSONSchema() map[string]any {
	return map[string]any{
		"type": "object", "additionalProperties": map[string]any{"type": []any{"string", "number", "boolean"}},
	}
}

// list returns the variables as NAME=value, sorted.
func (e ShellEnv) list() ([]string, error) {
	list := make([]string, 0, len(e))
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return nil, fmt.Errorf("env: %q is not a valid name of a variable", name)
		}
		if strings.ContainsRune(e[name], 0) {
			return nil, fmt.Errorf("env: the value of %s contains a NUL character", name)
		}
		list = append(list, name+"="+e[name])
	}
	return list, nil
}

// The types of a ShellPolicy.
const (
	policyHost    = "host"
	policyCommand = "command"
)

// errNoPolicy is the error of a missing policy. It explains the choice.
var errNoPolicy = errors.New("execution_policy is missing: it says where the commands of the model run, and there is no default. " +
	"{type: host} runs them as the user of this process, who may do all that you may: read files and keys, delete, and send what it " +
	"finds. Use it only where the whole machine is a sandbox. {type: command, command: [docker, run, -i, --rm, --init, --network, " +
	"none, IMAGE]} starts the shell by a command of yours that isolates it")
