package strictyaml

import (
	"reflect"
)

func (d *decoder) decodeSlice(n *node, v reflect.Value, path string, r rules) {
	if n.kind != KindList {
		hint := ""
		if n.kind.scalar() {
			hint = `start every entry with "- " on a line of its own, or write [a, b]`
		}
		d.wrong(n, path, "a list", hint)
		return
	}
	list := reflect.MakeSlice(v.Type(), len(n.list), len(n.list))
	for i, item := range n.list {
		d.decode(item, list.Index(i), indexPath(path, i), r.ofElement())
	}
	v.Set(list)
}

func (d *decoder) decodeMap(n *node, v reflect.Value, path string, r rules) {
	t := v.Type()
	if t.Key().Kind() != reflect.String {
		d.mistake = mistakef("cannot decode into %s: its keys are not strings", t)
		return
	}
	if n.kind != KindMap {
		d.wrong(n, path, "a mapping", "")
		return
	}
	values := reflect.MakeMapWithSize(t, len(n.entries))
	for _, e := range n.entries {
		if !d.stringKey(e.key, path) {
			continue
		}
		value := reflect.New(t.Elem()).Elem()
		d.decode(e.value, value, childPath(path, e.key.text), r.ofElement())
		values.SetMapIndex(reflect.ValueOf(e.key.text).Convert(t.Key()), value)
	}
	v.Set(values)
}

func (d *decoder) stringKey(key *node, path string) bool {
	if key.kind == KindString {
		return true
	}
	d.problem(key, path, "a key must be a string, found "+key.found(), "quote it: "+quote(key.text))
	return false
}

func (d *decoder) decodeStruct(n *node, v reflect.Value, path string) {
	t := v.Type()
	known, ok := d.fields[t]
	if !ok {
		var err error
		if known, err = fieldsOf(t); err != nil {
			d.mistake = err
			return
		}
		d.fields[t] = known
	}
	if n.kind != KindMap {
		d.wrong(n, path, "a mapping", "")
		return
	}
	for _, e := range n.entries {
		i, ok := known.byName[e.key.text]
		switch {
		case !ok:
			d.problem(e.key, path, "unknown key "+quote(e.key.text), suggestion(e.key.text, known.names(), "keys"))
		case known.list[i].rules.unsupported:
			d.problem(e.key, path, "the key "+quote(e.key.text)+" is not supported yet", "remove it")
		default:
			d.decode(e.value, v.FieldByIndex(known.list[i].index), childPath(path, e.key.text), known.list[i].rules)
		}
	}
	for _, field := range known.list {
		if _, ok := n.get(field.name); !ok && field.rules.required {
			hint := ""
			if len(field.rules.enum) == 1 { // there is nothing to choose
				hint = "write " + field.name + ": " + field.rules.enum[0]
			}
			d.problem(n, path, "the key "+quote(field.name)+" is missing", hint)
		}
	}
}

// plain returns the value of a node as an any: map[string]any, []any, int64, float64, string, bool or nil.
func (d *decoder) plain(n *node, path string) any {
	if n.broken {
		return nil
	}
	switch n.kind {
	case KindBool:
		return boolValue(n.text)
	case KindInteger:
		var value int64
		d.decodeInt(n, reflect.ValueOf(&value).Elem(), path)
		return value
	case KindNumber:
		var value float64
		d.decodeFloat(n, reflect.ValueOf(&value).Elem(), path)
		return value
	case KindString:
		return n.text
	case KindList:
		list := make([]any, len(n.list))
		for i, item := range n.list {
			list[i] = d.plain(item, indexPath(path, i))
		}
		return list
	case KindMap:
		values := make(map[string]any, len(n.entries))
		for _, e := range n.entries {
			if d.stringKey(e.key, path) {
				values[e.key.text] = d.plain(e.value, childPath(path, e.key.text))
			}
		}
		return values
	default:
		return nil
	}
}
