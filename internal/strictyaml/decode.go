package strictyaml

import (
	"reflect"
	"time"
)

// Decode reads a YAML file into the struct, map, slice or other value that into points to. Fields that
// the file does not mention keep their values, so a caller can set defaults first. Lists and mappings are replaced as a whole.
//
// If the file has problems, the error is an *Error with every problem found, and into may be partly filled. If into is unsuitable (not
// a pointer, or a field without a tag), the error has another type. File is only a name for messages.
func Decode(file string, data []byte, into any, opts ...Option) error {
	root, found := load(file, data, opts)
	if root.n == nil {
		return found.err()
	}
	err := root.Decode(into)
	if _, ok := err.(*Error); err != nil && !ok { //nolint:errorlint // Node.Decode returns it bare.
		return err
	}
	return Join(found.err(), err)
}

// Parse reads a YAML file and applies the options, for a caller that decodes it in parts.
func Parse(file string, data []byte, opts ...Option) (Node, error) {
	root, found := load(file, data, opts)
	if err := found.err(); err != nil {
		return Node{}, err
	}
	return root, nil
}

func load(file string, data []byte, opts []Option) (Node, problems) {
	o := options{maxBytes: defaultMaxBytes}
	for _, option := range opts {
		option(&o)
	}
	var found problems
	src, text, problem := readSource(file, data, &o)
	if problem != nil {
		found.add(*problem)
		return Node{}, found
	}
	n, found := parseText(src, text)
	if n == nil {
		return Node{}, found
	}
	hidden := markSecrets(n, src, o.secret)
	for _, assignment := range o.set {
		changed, more := assign(n, assignment, &o)
		n = changed
		found.merge(more)
	}
	if len(o.set) > 0 {
		hidden = markSecrets(n, src, o.secret)
	}
	root := Node{n: n, secrets: hidden}
	if o.lookup != nil {
		expanded, more := root.expand(o.lookup)
		root = expanded
		found.merge(more)
	}
	return root, found
}

// Unmarshaler is implemented by types that decode themselves, such as a union of a string and a mapping. An error that
// is not an *Error is shown at the node. As usual in Go, a struct that embeds an Unmarshaler is an Unmarshaler, too.
type Unmarshaler interface {
	UnmarshalStrict(n Node) error
}

// FuncUnmarshaler is an [Unmarshaler] that does not import this package: decode decodes the node into the target of a pointer, and may
// be called repeatedly. It is for types of libraries that can be used without YAML.
type FuncUnmarshaler interface {
	UnmarshalYAML(decode func(into any) error) error
}

// Checker is implemented by types with further rules, such as a key that requires another key. CheckStrict is called after the value
// was decoded without a problem. The node is the decoded value.
type Checker interface {
	CheckStrict(n Node) error
}

// decoder fills one value. It collects the problems of the file, and stops at a mistake of the program.
type decoder struct {
	found   problems
	fields  map[reflect.Type]*fields
	mistake error
	secrets *secrets
}

var (
	nodeType        = reflect.TypeFor[Node]()
	durationType    = reflect.TypeFor[time.Duration]()
	unmarshalerType = reflect.TypeFor[Unmarshaler]()
	funcType        = reflect.TypeFor[FuncUnmarshaler]()
	checkerType     = reflect.TypeFor[Checker]()
)

func (d *decoder) problem(n *node, path, message, hint string) {
	if n.secret && hint != "" { // it may show how to write the value
		hint = hiddenHint
	}
	d.found.add(n.at.problem(path, message, hint))
}

func (d *decoder) wrong(n *node, path, expected, hint string) {
	switch {
	case hint != "":
	case n.secret:
		hint = hiddenHint
	case n.expanded:
		hint = "the value of the variable is not shown"
	}
	d.problem(n, path, "expected "+expected+", found "+n.found(), hint)
}

// decode sets v, which must be settable, from n.
func (d *decoder) decode(n *node, v reflect.Value, path string, r rules) {
	if d.mistake != nil || n.broken {
		return
	}
	t := v.Type()
	switch {
	case t == nodeType:
		v.Set(reflect.ValueOf(Node{n: n, path: path, secrets: d.secrets}))
		return
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		if value := d.plain(n, path); value != nil {
			v.Set(reflect.ValueOf(value))
		} else {
			v.SetZero()
		}
		return
	case n.kind == KindNull && (r.optional || t.Kind() == reflect.Pointer):
		v.SetZero()
		return
	case n.kind == KindNull:
		d.problem(n, path, "a value is missing", "give one, or remove the key")
		return
	case t.Kind() == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(t.Elem()))
		}
		d.decode(n, v.Elem(), path, r)
		return
	}
	before := d.found.count()
	switch pointer := reflect.PointerTo(t); {
	case pointer.Implements(unmarshalerType):
		d.call(n, path, v.Addr().Interface().(Unmarshaler).UnmarshalStrict) //nolint:forcetypeassert // Checked above.
	case pointer.Implements(funcType):
		own := v.Addr().Interface().(FuncUnmarshaler) //nolint:forcetypeassert // Checked above.
		d.call(n, path, func(at Node) error { return own.UnmarshalYAML(at.Decode) })
	default:
		d.decodeKind(n, v, path, r)
	}
	if d.mistake != nil || d.found.count() > before {
		return
	}
	d.checkRules(n, v, path, r)
	if d.found.count() == before && reflect.PointerTo(t).Implements(checkerType) {
		d.call(n, path, v.Addr().Interface().(Checker).CheckStrict) //nolint:forcetypeassert // Checked above.
	}
}

// call runs a hook of the type and adds the hook's problems.
func (d *decoder) call(n *node, path string, hook func(Node) error) {
	at := Node{n: n, path: path, secrets: d.secrets}
	switch err := hook(at).(type) { //nolint:errorlint // A wrapped *Error keeps the text of its wrapping.
	case nil:
	case *Error:
		d.found.merge(problems{err.Problems, err.More})
	default:
		d.found.add(at.problemOf(err))
	}
}

func (d *decoder) decodeKind(n *node, v reflect.Value, path string, r rules) {
	if v.Type() == durationType {
		d.decodeDuration(n, v, path)
		return
	}
	switch v.Kind() {
	case reflect.String:
		d.decodeString(n, v, path)
	case reflect.Bool:
		d.decodeBool(n, v, path)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.decodeInt(n, v, path)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.decodeUint(n, v, path)
	case reflect.Float32, reflect.Float64:
		d.decodeFloat(n, v, path)
	case reflect.Slice:
		d.decodeSlice(n, v, path, r)
	case reflect.Map:
		d.decodeMap(n, v, path, r)
	case reflect.Struct:
		d.decodeStruct(n, v, path)
	default:
		d.mistake = mistakef("cannot decode into %s", v.Type())
	}
}
