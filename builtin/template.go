package builtin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// placeholder is a word in braces. Other braces are text, so that a template may be JSON.
var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// template is a configured text with placeholders such as {tool}.
type template struct {
	text  string
	words []string // the placeholders it may have, braces included
}

// newTemplate checks the template that stands under a key of the configuration.
func newTemplate(key, text string, words ...string) (template, error) {
	for _, found := range placeholder.FindAllString(text, -1) {
		if !slices.Contains(words, found) {
			return template{}, fmt.Errorf("%s has no placeholder %s; use %s", key, found, strings.Join(words, ", "))
		}
	}
	return template{text, words}, nil
}

// fill returns the text with values in the place of the placeholders, in the order of words. Braces in a value are text.
func (t *template) fill(values ...string) string {
	pairs := make([]string, 0, 2*len(values))
	for i, value := range values {
		pairs = append(pairs, t.words[i], value)
	}
	return strings.NewReplacer(pairs...).Replace(t.text)
}
