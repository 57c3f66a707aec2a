package schema

import (
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// Misfit is the innermost part of a value that does not fit a schema.
type Misfit struct {
	Pointer string   // a JSON pointer (RFC 6901) to the part; "" for the whole value
	Unknown bool     // the schema does not allow the property at Pointer
	Known   []string // if Unknown: the properties that it allows there
	Problem string   // what is wrong with the part, without its place
}

// Misfit finds the innermost part of v that does not fit, or returns nil if v conforms. Where several parts do not fit, it returns the
// first one. It does not look behind references and alternatives: there, the part is the value that has them.
func (s *Schema) Misfit(v wire.Raw) *Misfit {
	err := s.Validate(v)
	if err == nil {
		return nil
	}
	if found := s.misfitInside(v); found != nil {
		return found
	}
	return &Misfit{Problem: err.Error()}
}

// misfitInside looks at the properties and items of a value.
func (s *Schema) misfitInside(v wire.Raw) *Misfit {
	var keys wire.Map
	if _, err := keys.UnmarshalMsg(s.raw); err != nil {
		return nil
	}
	switch {
	case v.IsMap():
		var given wire.Map
		if _, err := given.UnmarshalMsg(v); err != nil {
			return nil
		}
		return misfitOfProperties(keys, given)
	case v.IsArray() && keys.Get("items").IsMap():
		n := 0
		for item := range v.Elements() {
			if found := misfitAt(strconv.Itoa(n), keys.Get("items"), item); found != nil {
				return found
			}
			n++
		}
	}
	return nil
}

// misfitOfProperties looks at the properties of an object. Properties that match a pattern are left to the schema as a whole.
func misfitOfProperties(keys, given wire.Map) *Misfit {
	var properties wire.Map
	if raw := keys.Get("properties"); raw.IsMap() {
		if _, err := properties.UnmarshalMsg(raw); err != nil {
			return nil
		}
	}
	others := keys.Get("additionalProperties")
	for i := range given {
		of := properties.Get(given[i].Key)
		if of.IsZero() && keys.Has("patternProperties") {
			continue
		}
		if of.IsZero() {
			of = others
		}
		if found := misfitAt(given[i].Key, of, given[i].Value); found != nil {
			if allowed, ok := of.AsBool(); ok && !allowed {
				found.Unknown = true
				for j := range properties {
					found.Known = append(found.Known, properties[j].Key)
				}
			}
			return found
		}
	}
	return nil
}

// misfitAt looks at a property or item. A schema that cannot be used alone, because it has references, accepts everything.
func misfitAt(step string, raw, v wire.Raw) *Misfit {
	if raw.IsZero() {
		return nil
	}
	s, err := Compile(raw)
	if err != nil {
		return nil
	}
	found := s.Misfit(v)
	if found != nil {
		found.Pointer = "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step) + found.Pointer
	}
	return found
}
