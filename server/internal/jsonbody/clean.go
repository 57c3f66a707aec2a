package jsonbody

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// cleaner writes a valid document again, in one pass, with the members that count and without blanks.
type cleaner struct {
	text []byte
	at   int
	out  []byte
	path []string
	null *string // the path of a null that its field does not take; nil: there is none
}

// value writes the next value. The type is that of its target, or nil if that is not known or takes anything.
func (c *cleaner) value(t reflect.Type) {
	c.space()
	t, nullable := target(t)
	switch c.text[c.at] {
	case '{':
		c.object(t)
	case '[':
		c.array(t)
	case '"':
		c.out = append(c.out, c.quoted()...)
	default:
		word := c.word()
		if !nullable && c.null == nil && string(word) == "null" {
			c.null = new(strings.Join(c.path, "."))
		}
		c.out = append(c.out, word...)
	}
}

// member is a member that was written: a comma, the name, a colon and the value.
type member struct{ from, to int }

func (c *cleaner) object(t reflect.Type) {
	start := len(c.out)
	var all []member
	index := map[string]int{} // of the members that count
	repeated := false
	c.out = append(c.out, '{')
	for c.at++; ; { // after the brace
		c.space()
		if c.text[c.at] == '}' {
			c.at++
			break
		}
		if c.text[c.at] == ',' {
			c.at++
			continue
		}
		name, m, keep := c.member(t)
		i, again := index[name]
		switch {
		case !keep:
		case again:
			all[i], repeated = m, true
		default:
			index[name] = len(all)
			all = append(all, m)
		}
	}
	if repeated {
		c.rebuild(start, all)
	}
	if len(all) > 0 {
		c.out = append(c.out[:start+1], c.out[start+2:]...) // the first comma
	}
	c.out = append(c.out, '}')
}

// member writes the next member. One that does not count is not kept.
func (c *cleaner) member(t reflect.Type) (name string, m member, keep bool) {
	quoted := c.quoted()
	_ = json.Unmarshal(quoted, &name) // the document is valid
	c.space()
	c.at++ // the colon
	inner, keep := memberType(t, name)
	m.from = len(c.out)
	c.out = append(append(append(c.out, ','), quoted...), ':')
	c.path = append(c.path, name)
	c.value(inner)
	c.path = c.path[:len(c.path)-1]
	if !keep {
		c.out = c.out[:m.from]
	}
	m.to = len(c.out)
	return name, m, keep
}

// rebuild writes the object that begins at start again, with only these members.
func (c *cleaner) rebuild(start int, members []member) {
	var again []byte
	for _, m := range members {
		again = append(again, c.out[m.from:m.to]...)
	}
	c.out = append(c.out[:start+1], again...)
}

func (c *cleaner) array(t reflect.Type) {
	var inner reflect.Type
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		inner = t.Elem()
	}
	c.out = append(c.out, '[')
	for c.at++; ; { // after the bracket
		c.space()
		switch c.text[c.at] {
		case ']':
			c.at++
			c.out = append(c.out, ']')
			return
		case ',':
			c.at++
			c.out = append(c.out, ',')
		default:
			c.value(inner)
		}
	}
}

func (c *cleaner) space() {
	for c.at < len(c.text) && strings.IndexByte(" \t\r\n", c.text[c.at]) >= 0 {
		c.at++
	}
}

// quoted reads a string with its quotes.
func (c *cleaner) quoted() []byte {
	start := c.at
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
	return c.text[start:c.at]
}

// word reads a number, true, false or null.
func (c *cleaner) word() []byte {
	start := c.at
	for c.at < len(c.text) && strings.IndexByte(",]} \t\r\n", c.text[c.at]) < 0 {
		c.at++
	}
	return c.text[start:c.at]
}

var (
	jsonUnmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	memberTypes         sync.Map // from a struct's reflect.Type to the types of its fields by their names: map[string]reflect.Type
)

// target follows pointers, and reports whether null is a value of the type. It returns nil for a type that decodes itself.
func target(t reflect.Type) (_ reflect.Type, nullable bool) {
	for t != nil && t.Kind() == reflect.Pointer {
		t, nullable = t.Elem(), true
	}
	if t == nil || t.Kind() == reflect.Interface {
		return nil, true
	}
	if p := reflect.PointerTo(t); p.Implements(jsonUnmarshalerType) || p.Implements(textUnmarshalerType) {
		return nil, nullable || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 // such as json.RawMessage
	}
	return t, nullable
}

// memberType returns the type of a member's target. It reports false if the target is a struct without a field of exactly this name.
func memberType(t reflect.Type, name string) (reflect.Type, bool) {
	switch {
	case t == nil:
		return nil, true
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	case t.Kind() != reflect.Struct:
		return nil, true // json.Unmarshal says that the type is wrong
	}
	known, ok := memberTypes.Load(t)
	if !ok {
		known, _ = memberTypes.LoadOrStore(t, fieldTypes(t))
	}
	inner, ok := known.(map[string]reflect.Type)[name]
	return inner, ok
}

func fieldTypes(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = field.Name
		}
		if field.IsExported() && !field.Anonymous && name != "-" {
			out[name] = field.Type
		}
	}
	return out
}
