// Package strict reads documents in which every key must be known. It is small and uses no reflection, so that a guest
// can use it too.
package strict

import (
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// Error says what is wrong with a document, and where.
type Error struct {
	Path   string
	Reason string
}

func (e *Error) Error() string { return e.Path + ": " + e.Reason }

// Object reads one object of a document, key by key. It keeps the first error, and everything read after that is
// zero. [Object.Done] reports the error, or the keys that were not read.
type Object struct {
	path string
	m    wire.Map
	read []bool
	err  *error // shared by all objects of the document
}

// Open returns a reader of a document's outermost object.
func Open(raw wire.Raw, path string) *Object {
	var err error
	return open(raw, path, &err)
}

func open(raw wire.Raw, path string, err *error) *Object {
	o := &Object{path: path, err: err}
	if !raw.IsMap() {
		o.fail(path, "must be an object")
		return o
	}
	if _, failure := o.m.UnmarshalMsg(raw); failure != nil {
		o.fail(path, failure.Error())
	}
	o.read = make([]bool, len(o.m))
	return o
}

// Path returns the position of the object in the document.
func (o *Object) Path() string { return o.path }

// Err returns the first error so far in any object of the document.
func (o *Object) Err() error { return *o.err }

// Done returns the first error, or an error that names the keys of the object that were not read.
func (o *Object) Done() error {
	for i, read := range o.read {
		if read {
			continue
		}
		reason := "the key " + strconv.Quote(o.m[i].Key) + " is unknown"
		if *o.err != nil { // often the cause: a misspelled key is also missing
			reason += "; " + (*o.err).Error()
		}
		*o.err = &Error{o.path, reason}
		break
	}
	return *o.err
}

// Fail records that the value of a key is invalid.
func (o *Object) Fail(key, reason string) { o.fail(o.path+"."+key, reason) }

func (o *Object) fail(path, reason string) {
	if *o.err == nil {
		*o.err = &Error{path, reason}
	}
}

// Keys returns the object's keys, sorted, and counts them as read.
func (o *Object) Keys() []string {
	keys := make([]string, len(o.m))
	for i := range o.m {
		keys[i] = o.m[i].Key
		o.read[i] = true
	}
	return keys
}

// Has reports whether the object has a key, without reading it.
func (o *Object) Has(key string) bool { return o.m.Has(key) }

// Need records an error if keys are missing.
func (o *Object) Need(keys ...string) {
	for _, key := range keys {
		if !o.m.Has(key) {
			o.fail(o.path, "the key "+strconv.Quote(key)+" is missing")
		}
	}
}

// Raw returns the value of a key, or a nil Raw if the key is absent.
func (o *Object) Raw(key string) wire.Raw {
	for i := range o.m {
		if o.m[i].Key == key {
			o.read[i] = true
			return o.m[i].Value
		}
	}
	return nil
}

// Text returns a string, or "" if the key is absent.
func (o *Object) Text(key string) string {
	raw := o.Raw(key)
	text, ok := raw.AsString()
	if !ok && !raw.IsZero() {
		o.Fail(key, "must be a string")
	}
	return text
}

// TextOrNull returns a string, or "" if the key is absent or null.
func (o *Object) TextOrNull(key string) string {
	if raw := o.Raw(key); !raw.IsZero() && raw.IsNil() {
		return ""
	}
	return o.Text(key)
}

// OneOf returns a string that must be one of these, or "" if the key is absent.
func (o *Object) OneOf(key string, allowed ...string) string {
	text := o.Text(key)
	if !o.Has(key) {
		return ""
	}
	quoted := make([]string, len(allowed))
	for i, one := range allowed {
		if one == text {
			return text
		}
		quoted[i] = strconv.Quote(one)
	}
	o.Fail(key, "is "+strconv.Quote(text)+"; it must be one of "+strings.Join(quoted, ", "))
	return ""
}

// Bool returns a boolean, or false if the key is absent.
func (o *Object) Bool(key string) bool {
	raw := o.Raw(key)
	value, ok := raw.AsBool()
	if !ok && !raw.IsZero() {
		o.Fail(key, "must be true or false")
	}
	return value
}

// True reads a key that only makes sense as true.
func (o *Object) True(key string) bool {
	if o.Has(key) && !o.Bool(key) {
		o.Fail(key, "must be true, or absent")
	}
	return o.Has(key)
}

// Float returns the number under a key; 0 if there is none.
func (o *Object) Float(key string) float64 {
	raw := o.Raw(key)
	if raw.IsZero() {
		return 0
	}
	f, ok := raw.AsFloat()
	if !ok {
		o.Fail(key, "must be a number")
	}
	return f
}

// Int returns an integer that must not be below least, or 0 if the key is absent.
func (o *Object) Int(key string, least int64) int {
	raw := o.Raw(key)
	if raw.IsZero() {
		return 0
	}
	value, ok := raw.AsInt()
	if !ok || value < least {
		o.Fail(key, "must be an integer of at least "+strconv.FormatInt(least, 10))
	}
	return int(value)
}

// Items returns the elements of a list, or none if the key is absent.
func (o *Object) Items(key string) []wire.Raw {
	raw := o.Raw(key)
	if raw.IsZero() {
		return nil
	}
	items, ok := raw.Items()
	if !ok {
		o.Fail(key, "must be a list")
	}
	return items
}

// Texts returns a list of strings. It is nil only if the key is absent.
func (o *Object) Texts(key string) []string {
	if !o.Has(key) {
		return nil
	}
	items := o.Items(key)
	texts := make([]string, 0, len(items))
	for i, item := range items {
		text, ok := item.AsString()
		if !ok {
			o.Fail(at(key, i), "must be a string")
		}
		texts = append(texts, text)
	}
	return texts
}

// Object returns the object under a key, or nil if the key is absent.
func (o *Object) Object(key string) *Object {
	raw := o.Raw(key)
	if raw.IsZero() {
		return nil
	}
	return open(raw, o.path+"."+key, o.err)
}

// Map returns an object whose keys are data, or nil if the key is absent.
func (o *Object) Map(key string) wire.Map {
	inner := o.Object(key)
	if inner == nil {
		return nil
	}
	return inner.m
}

// Objects returns a list of objects, or none if the key is absent.
func (o *Object) Objects(key string) []*Object {
	items := o.Items(key)
	objects := make([]*Object, len(items))
	for i, item := range items {
		objects[i] = open(item, o.path+"."+at(key, i), o.err)
	}
	return objects
}

func at(key string, i int) string { return key + "[" + strconv.Itoa(i) + "]" }
