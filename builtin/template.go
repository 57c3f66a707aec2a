package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// placeholder matches a word in braces. Other braces are text, so a template may contain JSON.
var placeholder = lazyregexp.New(`\{[a-z_]+\}`)

// template is a configured text with placeholders such as {tool}.
type template struct {
	text  string
	words []string // the permitted placeholders, with braces
}

// newTemplate checks the template under a key of the configuration.
func newTemplate(key, text string, words ...string) (template, error) {
	for _, found := range placeholder().FindAllString(text, -1) {
		if !slices.Contains(words, found) {
			return template{}, fmt.Errorf("%s has no placeholder %s; use %s", key, found, strings.Join(words, ", "))
		}
	}
	return template{text, words}, nil
}

// fill replaces the placeholders by values, in the order of words. Braces in a value are text.
func (t *template) fill(values ...string) string {
	pairs := make([]string, 0, 2*len(values))
	for i, value := range values {
		pairs = append(pairs, t.words[i], value)
	}
	return strings.NewReplacer(pairs...).Replace(t.text)
}
