package schema

import "github.com/agenthost/agenthost/abi/wire"

// WithDefaults returns v with the defaults of the schema's properties filled in where v has no value, at every depth of objects. It
// uses the defaults exactly as written in the schema, so that whole numbers stay integers.
func (s *Schema) WithDefaults(v wire.Map) wire.Map {
	if s == nil {
		return v
	}
	return withDefaults(s.raw, v)
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
