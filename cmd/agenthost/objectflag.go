package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/manifest"
)

// objectFlag is an object on the command line, such as the context of a run.
type objectFlag struct {
	name  string // with its dashes
	given []string
	value map[string]any // nil: none was given
}

// add adds the flag. what it is, such as "the run's context", is for its help.
func (f *objectFlag) add(c *cobra.Command, name, what string) {
	f.name = "--" + name
	c.Flags().StringArrayVar(&f.given, name, nil, "a `VALUE` of "+what+": KEY=VALUE, a JSON object, or @FILE with one; may be repeated")
}

// read reads the values and merges them in their order.
func (f *objectFlag) read() error {
	if len(f.given) == 0 {
		return nil
	}
	f.value = map[string]any{}
	for _, given := range f.given {
		if err := f.readOne(given); err != nil {
			return err
		}
	}
	return nil
}

func (f *objectFlag) readOne(given string) error {
	name, document := f.name, given
	switch {
	case strings.HasPrefix(given, "@"):
		data, err := regularfile.Read(given[1:], manifest.MaxSize)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		name, document = given[1:], string(data)
	case !strings.HasPrefix(strings.TrimSpace(given), "{"):
		return f.assign(given)
	}
	var object map[string]any
	if err := strictyaml.Decode(name, []byte(document), &object); err != nil {
		return err
	}
	merge(f.value, object)
	return nil
}

// assign sets the value at a path of keys, such as user.name=Ada.
func (f *objectFlag) assign(assignment string) error {
	if !strings.Contains(assignment, "=") {
		return fmt.Errorf("%s %q: write KEY=VALUE, a JSON object, or @FILE", f.name, assignment)
	}
	var object map[string]any
	err := strictyaml.Decode(f.name, []byte("{}"), &object, strictyaml.WithSet([]string{assignment}), strictyaml.WithSetFlag(f.name))
	if err != nil {
		return err
	}
	merge(f.value, object)
	return nil
}

// merge sets the values of an object at every depth.
func merge(into, object map[string]any) {
	for key, value := range object {
		inner, ok := value.(map[string]any)
		there, has := into[key].(map[string]any)
		if ok && has {
			merge(there, inner)
		} else {
			into[key] = value
		}
	}
}

// shown returns the values for a command line that is printed, with a placeholder in place of those that may be secrets.
func (f *objectFlag) shown() []string {
	shown := withoutSecrets(f.given)
	for i, given := range shown {
		if strings.HasPrefix(strings.TrimSpace(given), "{") {
			shown[i] = question.Placeholder
		}
	}
	return shown
}
