package schema

import (
	"fmt"

	"github.com/agenthost/agenthost/abi/wire"
)

// WithDefaults returns v with the defaults of the schema's properties filled in where v has no value, at every depth of objects. It
// uses the defaults exactly as written in the schema, so that whole numbers stay integers.
func (s *Schema) WithDefaults(v wire.Map) wire.Map {
	if s == nil {
		return v
	}
	return withDefaults(s.raw, v)
}

// CheckDefaults returns an error if a default of a property does not fit the property's schema, at any depth of objects. It is for
// schemas that [CompileUntrusted] has compiled.
func (s *Schema) CheckDefaults() error {
	if s == nil {
		return nil
	}
	return checkDefaults(s.raw)
}

func checkDefaults(schema wire.Raw) error {
	for name, property := range get(schema, "properties").Pairs() {
		if err := checkDefaults(property); err != nil {
			return err
		}
		value := get(property, "default")
		if value.IsZero() {
			continue
		}
		var object wire.Map
		if _, err := object.UnmarshalMsg(value); err == nil && value.IsMap() {
			value = withDefaults(property, object).Raw()
		}
		compiled, err := CompileUntrusted(property)
		if err == nil {
			err = compiled.Validate(value)
		}
		if err != nil {
			return fmt.Errorf("the default of %q does not fit its own schema: %w", name, err)
		}
	}
	return nil
}

func withDefaults(schema wire.Raw, v wire.Map) wire.Map {
	out := v.With(nil)
	for name, property := range get(schema, "properties").Pairs() {
		key := string(name)
		value := out.Get(key)
		if value.IsZero() {
			value = get(property, "default")
		}
		if value.IsMap() {
			var object wire.Map
			if _, err := object.UnmarshalMsg(value); err == nil {
				value = withDefaults(property, object).Raw()
			}
		}
		if !value.IsZero() {
			out.Set(key, value)
		}
	}
	return out
}

func get(m wire.Raw, key string) wire.Raw {
	for k, v := range m.Pairs() {
		if string(k) == key {
			return v
		}
	}
	return nil
}
