package cases

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/docdiff"
	"github.com/agenthost/agenthost/internal/schema"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/internal/text"
)

// TextCheck says what a text must be. In a file it is the text itself, or a mapping with one or several of the keys.
type TextCheck struct {
	textKeys

	exact   *string
	pattern *regexp.Regexp
	schema  *schema.Schema
}

// textKeys are the keys of a TextCheck. All that are given must hold.
type textKeys struct {
	Contains    texts           `yaml:"contains"`     // a text that must be in it, or a list of them
	NotContains texts           `yaml:"not_contains"` // a text that must not be in it, or a list of them
	Regexp      string          `yaml:"regexp"`       // a regular expression (RE2) that must match a part of it
	JSON        strictyaml.Node `yaml:"json"`         // the value that it must be the JSON of
	// the keys and values that it must have if it is the JSON of an object, besides others
	JSONContains map[string]any `yaml:"json_contains"`
	Schema       map[string]any `yaml:"schema"` // the JSON Schema that it must fit, as JSON
}

// texts is a text or a list of texts.
type texts []string

// UnmarshalStrict decodes one of the forms.
func (t *texts) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() == strictyaml.KindList {
		return n.Decode((*[]string)(t))
	}
	var one string
	err := n.Decode(&one)
	*t = texts{one}
	return err
}

// JSONSchema returns the schema of both forms.
func (texts) JSONSchema() map[string]any {
	one := map[string]any{"type": "string"}
	return map[string]any{"anyOf": []any{one, map[string]any{"type": "array", "items": one}}}
}

// UnmarshalStrict decodes one of the forms.
func (c *TextCheck) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() != strictyaml.KindMap {
		c.exact = new(string)
		return n.Decode(c.exact)
	}
	if err := n.Decode(&c.textKeys); err != nil {
		return err
	}
	if n.Len() == 0 {
		return n.Errorf("the check is empty; write a text, or a mapping such as {contains: a text}")
	}
	if c.Regexp != "" {
		var err error
		if c.pattern, err = regexp.Compile(c.Regexp); err != nil {
			at, _ := n.Get("regexp")
			return at.Errorf("%w", err)
		}
	}
	if c.Schema != nil {
		at, _ := n.Get("schema")
		var err error
		if c.schema, err = compile(c.Schema); err != nil {
			return at.Errorf("%w", err)
		}
	}
	return nil
}

// JSONForms returns the schema of a text.
func (TextCheck) JSONForms() []map[string]any { return []map[string]any{{"type": "string"}} }

func compile(document map[string]any) (*schema.Schema, error) {
	raw, err := wire.MapOf(document)
	if err != nil {
		return nil, err
	}
	return schema.Compile(raw.Raw())
}

// compare returns a line for each check that does not hold for a text. Each begins with the name of the text.
func (c *TextCheck) compare(name, got string) (lines []string) {
	if c.exact != nil {
		return docdiffLines(name, wire.String(*c.exact), wire.String(got))
	}
	add := func(format string, args ...any) {
		lines = append(lines, name+": "+docdiff.Clean(fmt.Sprintf(format, args...)))
	}
	for _, part := range c.Contains {
		if !strings.Contains(got, part) {
			add("%q is not in %s", part, shown(got))
		}
	}
	for _, part := range c.NotContains {
		if before, _, found := strings.Cut(got, part); found {
			add("%q is in %s", part, shown(got[strings.LastIndexByte(before, '\n')+1:]))
		}
	}
	if c.pattern != nil && !c.pattern.MatchString(got) {
		add("the expression %q does not match %s", c.Regexp, shown(got))
	}
	if c.JSON.IsZero() && c.JSONContains == nil && c.schema == nil {
		return lines
	}
	value, err := wire.FromJSON([]byte(got), wire.Limits{MaxBytes: 4*len(got) + 64})
	if err != nil {
		add("this is not JSON: %s", shown(got))
		return lines
	}
	return append(lines, c.compareJSON(name, value)...)
}

func (c *TextCheck) compareJSON(name string, value wire.Raw) (lines []string) {
	if !c.JSON.IsZero() {
		want, err := valueOf(c.JSON)
		if err != nil {
			return []string{name + ": " + err.Error()}
		}
		lines = docdiffLines(name, want, value)
	}
	if c.JSONContains != nil {
		want, err := wire.MapOf(c.JSONContains)
		if err != nil {
			return append(lines, name+": json_contains: "+err.Error())
		}
		lines = append(lines, missing(name, want.Raw(), value)...)
	}
	return append(lines, misfits(name, c.schema, value)...)
}

// misfits returns a line for each problem of a value with a schema, which may be nil.
func misfits(name string, s *schema.Schema, value wire.Raw) (lines []string) {
	if s == nil {
		return nil
	}
	if err := s.Validate(value); err != nil {
		return []string{name + ": " + docdiff.Clean(strings.ReplaceAll(err.Error(), "\n", "; "))}
	}
	return nil
}

// missing returns a line for each part of a value that another value lacks. A mapping may have more keys than are wanted.
func missing(path string, want, got wire.Raw) (lines []string) {
	if !want.IsMap() || !got.IsMap() {
		return docdiffLines(path, want, got)
	}
	for key, value := range want.Pairs() {
		at := strings.TrimPrefix(path+"."+string(key), ".")
		if found := got.Get(string(key)); found.IsZero() {
			lines = append(lines, docdiffLines(at, value, nil)...)
		} else {
			lines = append(lines, missing(at, value, found)...)
		}
	}
	return lines
}

func docdiffLines(path string, want, got wire.Raw) []string {
	diff := docdiff.Of(path, want, got)
	if diff.IsZero() {
		return nil
	}
	return diff.Lines()
}

// valueOf returns a value of the file as a document.
func valueOf(n strictyaml.Node) (wire.Raw, error) {
	var value any
	if err := n.Decode(&value); err != nil {
		return nil, err
	}
	return wire.Of(value)
}

// shown returns a text as people read it in a line.
func shown(t string) string { return wire.String(text.Cut(t, 200)).JSON() }
