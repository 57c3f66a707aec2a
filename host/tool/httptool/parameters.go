package httptool

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// bindParameters makes the spec, with the configured parameters or ones derived from the places in the request.
func (t *Tool) bindParameters() error {
	parameters, places := t.config.Parameters, t.places()
	if parameters.IsZero() {
		var err error
		if parameters, err = derived(places); err != nil {
			return err
		}
	}
	var err error
	if t.schema, err = schema.Compile(parameters); err != nil {
		return err
	}
	if err := t.schema.CheckTypes(); err != nil {
		return err
	}
	if err := t.checkParameters(parameters, places); err != nil {
		return err
	}
	t.spec = abi.ToolSpec{
		Name: t.config.Name, Description: t.config.Description, Parameters: parameters,
		Idempotent: *t.config.Idempotent, ReturnDirect: t.config.ReturnDirect, Extras: t.config.Extras,
	}
	return nil
}

// derived returns the default parameters: each place is a required string.
func derived(places []string) (wire.Raw, error) {
	properties := make(map[string]any, len(places))
	required := make([]any, len(places))
	for i, name := range places {
		properties[name], required[i] = map[string]any{"type": "string"}, name
	}
	all := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		all["required"] = required
	}
	return wire.Of(all)
}

// checkParameters checks that every parameter has a place in the request, and every place a parameter.
func (t *Tool) checkParameters(parameters wire.Raw, places []string) error {
	var all, properties wire.Map
	if _, err := all.UnmarshalMsg(parameters); err != nil || !parameters.IsMap() {
		return errors.New("the parameters must be a JSON Schema of the type object")
	}
	if kind, _ := all.Get("type").AsString(); kind != "object" {
		return errors.New(`the parameters must be an object, because a model gives arguments as one; write type: object`)
	}
	if given := all.Get("properties"); given.IsMap() {
		if _, err := properties.UnmarshalMsg(given); err != nil {
			return err
		}
	}
	for _, name := range places {
		if !properties.Has(name) {
			return fmt.Errorf("the request contains {%s}, but there is no such property; add it, or write {{%s}} for literal braces", name, name)
		}
	}
	for _, property := range properties {
		if !slices.Contains(places, property.Key) {
			return fmt.Errorf("the request does not use the property %q; write {%s} where its value belongs", property.Key, property.Key)
		}
	}
	required := map[string]bool{}
	for item := range all.Get("required").Elements() {
		name, _ := item.AsString()
		required[name] = true
	}
	for _, name := range t.target.needed() {
		if !required[name] && get(properties.Get(name), "default").IsZero() {
			return fmt.Errorf("the property %q is part of the URL's path or host, so it must be required or have a default", name)
		}
	}
	return nil
}

func get(m wire.Raw, key string) wire.Raw {
	for k, v := range m.Pairs() {
		if string(k) == key {
			return v
		}
	}
	return nil
}
