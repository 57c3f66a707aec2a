package strictyaml

import (
	"reflect"
	"strings"
)

// field is a key of a struct.
type field struct {
	name  string
	index []int // for reflect.Value.FieldByIndex
	rules rules
}

// fields are the keys of a struct, in the order of its declaration.
type fields struct {
	list   []field
	byName map[string]int
}

// names returns the keys to suggest, without keys of a later version.
func (f *fields) names() []string {
	var names []string
	for _, field := range f.list {
		if !field.rules.unsupported {
			names = append(names, field.name)
		}
	}
	return names
}

// fieldsOf reads the tags of a struct. The tag of every exported field must name its key, or be "-".
func fieldsOf(t reflect.Type) (*fields, error) {
	f := &fields{byName: map[string]int{}}
	return f, f.read(t, nil)
}

func (f *fields) read(t reflect.Type, index []int) error {
	for i := range t.NumField() {
		declared := t.Field(i)
		at := append(append([]int{}, index...), i)
		tag, tagged := declared.Tag.Lookup("yaml")
		name, option, _ := strings.Cut(tag, ",")
		switch {
		case name == "-":
			continue
		case declared.Anonymous && name == "" || option == "inline":
			if declared.Type.Kind() != reflect.Struct || !declared.Anonymous && !declared.IsExported() {
				return mistakef("%s.%s is inlined but not an exported struct", t, declared.Name)
			}
			if err := f.read(declared.Type, at); err != nil {
				return err
			}
			continue
		case !declared.IsExported():
			continue
		case !tagged || name == "" || option != "":
			return mistakef(`%s.%s needs a tag such as yaml:"name"`, t, declared.Name)
		}
		rules, err := parseRules(declared.Tag.Get("strict"))
		if err != nil {
			return mistakef("%s.%s: %v", t, declared.Name, err)
		}
		if _, ok := f.byName[name]; ok {
			return mistakef("%s has two fields for the key %q", t, name)
		}
		f.byName[name] = len(f.list)
		f.list = append(f.list, field{name, at, rules})
	}
	return nil
}
