package schema

import "github.com/agenthost/agenthost/abi/wire"

// plain is a schema that only states types, properties and required properties. It can accept a value without decoding it. It never
// refuses one: the validator does that, with its own error text.
type plain struct {
	kind       string // the JSON type; "": any
	properties []property
	required   int  // the number of required properties
	closed     bool // no other properties
	items      *plain
}

type property struct {
	name     string
	schema   *plain
	required bool
}

// plainOf returns the plain form of a schema, or nil if the schema states more.
func plainOf(raw wire.Raw) *plain {
	var m wire.Map
	if _, err := m.UnmarshalMsg(raw); err != nil || !raw.IsMap() {
		return nil
	}
	p := &plain{}
	for _, pair := range m {
		if !p.keyword(pair.Key, pair.Value) {
			return nil
		}
	}
	if !p.require(m.Get("required")) {
		return nil
	}
	return p
}

// keyword adds one keyword. It returns false if a plain schema cannot express the keyword.
func (p *plain) keyword(key string, value wire.Raw) bool {
	switch key {
	case "title", "description", "default", "examples", "$schema", "required":
		return true
	case "type":
		kind, ok := value.AsString()
		p.kind = kind
		return ok
	case "additionalProperties":
		allowed, ok := value.AsBool()
		p.closed = !allowed
		return ok
	case "items":
		p.items = plainOf(value)
		return p.items != nil
	case "properties":
		for name, schema := range value.Pairs() {
			sub := plainOf(schema)
			if sub == nil {
				return false
			}
			p.properties = append(p.properties, property{name: string(name), schema: sub})
		}
		return value.IsMap()
	default:
		return false
	}
}

// require marks the required properties. It returns false if one of them has no schema.
func (p *plain) require(list wire.Raw) bool {
	for item := range list.Elements() {
		name, _ := item.AsString()
		found := false
		for i := range p.properties {
			if p.properties[i].name == name && !p.properties[i].required {
				p.properties[i].required, found = true, true
				p.required++
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func (p *plain) accepts(v wire.Raw) bool {
	kind := v.Type()
	if p.kind != "" && p.kind != kind && (p.kind != "number" || kind != "integer") {
		return false
	}
	switch kind {
	case "object":
		return p.acceptsObject(v)
	case "array":
		for item := range v.Elements() {
			if p.items != nil && !p.items.accepts(item) {
				return false
			}
		}
	case "bytes":
		return false
	}
	return true
}

func (p *plain) acceptsObject(v wire.Raw) bool {
	required := 0
	for key, value := range v.Pairs() {
		known := false
		for i := range p.properties {
			if p.properties[i].name != string(key) {
				continue
			}
			if !p.properties[i].schema.accepts(value) {
				return false
			}
			if p.properties[i].required {
				required++
			}
			known = true
		}
		if !known && p.closed {
			return false
		}
	}
	return required == p.required
}
