package manifest

import (
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// The places of values that may be short: a model is PROVIDER:NAME, and a middleware is its name.
var (
	modelPath      = lazyregexp.New(`^(model|models(\.[^.[]+|\["[^"]*"\])|store\.index\.embed)$`)
	middlewarePath = lazyregexp.New(`^middleware\[[0-9]+\]$`)
)

// longForm returns the mapping that a text stands for, so that an assignment such as model.temperature=0 can go into it. A text with a
// variable is not read: what it stands for is not known yet.
func longForm(path, text string) []strictyaml.Pair {
	provider, name, found := strings.Cut(text, ":")
	switch {
	case strings.Contains(text, "${"):
		return nil
	case modelPath().MatchString(path) && found && name != "":
		return []strictyaml.Pair{{Key: "provider", Text: provider}, {Key: "name", Text: name}}
	case middlewarePath().MatchString(path):
		return []strictyaml.Pair{{Key: text}}
	}
	return nil
}
