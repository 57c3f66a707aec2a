package mcp

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// maxArgument is how many characters of a name an error repeats.
const maxArgument = 40

// Usage says how a person writes the arguments, such as "city=… [unit=…]"; "": there are none.
func (p *Prompt) Usage() string {
	words := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		if words[i] = a.Name + "=…"; !a.Required {
			words[i] = "[" + words[i] + "]"
		}
	}
	return strings.Join(words, " ")
}

// Read reads arguments that a person has written as NAME=VALUE. The error names the one that is wrong or missing.
func (p *Prompt) Read(words []string) (map[string]string, error) {
	given, known := map[string]string{}, map[string]bool{}
	for _, a := range p.Arguments {
		known[a.Name] = true
	}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || !known[name] {
			return nil, fmt.Errorf("%q is not an argument of the prompt", text.Cut(name, maxArgument))
		}
		given[name] = value
	}
	for _, a := range p.Arguments {
		if _, ok := given[a.Name]; a.Required && !ok {
			return nil, fmt.Errorf("the argument %s is missing", terminal.Line(a.Name))
		}
	}
	return given, nil
}
