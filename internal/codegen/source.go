// Package codegen writes codecs and JSON Schemas for the structs of a plugin. The command sdk/go/gen calls it.
package codegen

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agenthost/agenthost/internal/text"
)

// Output is the name of the file that holds the code.
const Output = "agenthost_gen.go"

// Generate returns the code for the package in a directory. It fails if no struct asks for a codec.
func Generate(dir string) ([]byte, error) {
	p, err := readPackage(dir)
	if err != nil {
		return nil, err
	}
	if len(p.documents) == 0 {
		return nil, fmt.Errorf("%s: no struct is marked %s", dir, mark)
	}
	return p.code()
}

// mark is the comment line that asks for a codec.
const mark = "//agenthost:document"

// sourcePackage describes the package whose sources were read.
type sourcePackage struct {
	name      string
	files     *token.FileSet
	types     map[string]*ast.TypeSpec
	enums     map[string][]string // values of the constants of a string type
	documents []*document
}

// document is a struct that gets a codec.
type document struct {
	name, doc string
	spec      *ast.StructType
	fields    []*field // by key
	schema    map[string]any
}

// field is a field of a document.
type field struct {
	name, key, doc string
	typ            *goType
	tag            reflect.StructTag
	omitEmpty      bool
}

// kind classifies Go types.
type kind int

const (
	kindBool kind = iota
	kindString
	kindInt
	kindUint
	kindFloat
	kindBytes
	kindRaw
	kindMap
	kindDocument
	kindList    // of elem
	kindDict    // of elem
	kindPointer // to elem
)

// goType is a Go type that can be encoded.
type goType struct {
	kind kind
	name string // as the source writes it
	elem *goType
	enum []string
}

func readPackage(dir string) (*sourcePackage, error) {
	p := &sourcePackage{files: token.NewFileSet(), types: map[string]*ast.TypeSpec{}, enums: map[string][]string{}}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: there are no Go files", dir)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == Output {
			continue
		}
		f, err := parser.ParseFile(p.files, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.name = f.Name.Name
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				p.declare(g)
			}
		}
	}
	for _, d := range p.documents {
		if err := p.readFields(d); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(p.documents, func(a, b *document) int { return strings.Compare(a.name, b.name) })
	return p, nil
}

// declare records the types and the constants of a declaration.
func (p *sourcePackage) declare(g *ast.GenDecl) {
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			p.types[s.Name.Name] = s
			doc := s.Doc
			if doc == nil && len(g.Specs) == 1 {
				doc = g.Doc
			}
			if st, ok := s.Type.(*ast.StructType); ok && isMarked(doc) {
				p.documents = append(p.documents, &document{name: s.Name.Name, doc: doc.Text(), spec: st})
			}
		case *ast.ValueSpec:
			named, ok := s.Type.(*ast.Ident)
			if g.Tok != token.CONST || !ok {
				continue
			}
			for _, v := range s.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					text, _ := strconv.Unquote(lit.Value) // the parser has read it
					p.enums[named.Name] = append(p.enums[named.Name], text)
				}
			}
		}
	}
}

func isMarked(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.TrimSpace(c.Text) == mark })
}

func (p *sourcePackage) readFields(d *document) error {
	for _, f := range d.spec.Fields.List {
		if len(f.Names) == 0 {
			return p.errorAt(f, d.name+": embedded fields have no form; give the field a name")
		}
		for _, name := range f.Names {
			if err := p.readField(d, f, name.Name); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(d.fields, func(a, b *field) int { return strings.Compare(a.key, b.key) })
	return nil
}

func (p *sourcePackage) readField(d *document, f *ast.Field, name string) error {
	out := &field{name: name, key: snake(name), doc: fieldComment(f)}
	if f.Tag != nil {
		text, _ := strconv.Unquote(f.Tag.Value) // the parser has read it
		out.tag = reflect.StructTag(text)
	}
	key, options, _ := strings.Cut(out.tag.Get("json"), ",")
	switch {
	case key == "-":
		return nil
	case key != "":
		out.key = key
	case !ast.IsExported(name):
		return nil // as other codecs do
	}
	out.omitEmpty = slices.Contains(strings.Split(options, ","), "omitempty")
	if slices.ContainsFunc(d.fields, func(other *field) bool { return other.key == out.key }) {
		return p.errorAt(f, d.name+"."+name+": another field has the key "+out.key)
	}
	t, err := p.goType(f.Type)
	if err != nil {
		return p.errorAt(f, d.name+"."+name+": "+err.Error())
	}
	out.typ = t
	d.fields = append(d.fields, out)
	return nil
}

func (p *sourcePackage) errorAt(n ast.Node, message string) error {
	return fmt.Errorf("%s: %s", p.files.Position(n.Pos()), message)
}

// fieldComment returns the comment of a field, on one line.
func fieldComment(f *ast.Field) string { return text.OneLine(cmp.Or(f.Doc.Text(), f.Comment.Text())) }

// snake returns the key of a field without a tag: HTTPStatus becomes http_status.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		startsWord := i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if startsWord {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

var basic = map[string]kind{
	"bool": kindBool, "string": kindString, "float32": kindFloat, "float64": kindFloat,
	"int": kindInt, "int8": kindInt, "int16": kindInt, "int32": kindInt, "int64": kindInt,
	"uint": kindUint, "uint8": kindUint, "uint16": kindUint, "uint32": kindUint, "uint64": kindUint,
}

// goType returns the type of a field.
func (p *sourcePackage) goType(e ast.Expr) (*goType, error) {
	switch e := e.(type) {
	case *ast.Ident:
		return p.namedType(e.Name)
	case *ast.SelectorExpr:
		switch e.Sel.Name { // of package sdk, or wire
		case "Raw":
			return &goType{kind: kindRaw, name: "sdk.Raw"}, nil
		case "Map":
			return &goType{kind: kindMap, name: "sdk.Map"}, nil
		}
	case *ast.StarExpr:
		return p.composite(kindPointer, "*", e.X)
	case *ast.ArrayType:
		if id, ok := e.Elt.(*ast.Ident); ok && e.Len == nil && (id.Name == "byte" || id.Name == "uint8") {
			return &goType{kind: kindBytes, name: "[]byte"}, nil
		}
		if e.Len == nil {
			return p.composite(kindList, "[]", e.Elt)
		}
	case *ast.MapType:
		if key, ok := e.Key.(*ast.Ident); ok && key.Name == "string" {
			return p.composite(kindDict, "map[string]", e.Value)
		}
	}
	return nil, errors.New("its type cannot be encoded; use booleans, numbers, strings, []byte, sdk.Raw, sdk.Map, documents, " +
		"and slices, maps with string keys and pointers of these")
}

func (p *sourcePackage) composite(k kind, prefix string, of ast.Expr) (*goType, error) {
	elem, err := p.goType(of)
	if err != nil {
		return nil, err
	}
	if elem.kind == kindPointer {
		return nil, errors.New("only a field can be a pointer, because a list or map cannot contain nil")
	}
	return &goType{kind: k, name: prefix + elem.name, elem: elem}, nil
}

func (p *sourcePackage) namedType(name string) (*goType, error) {
	if k, ok := basic[name]; ok {
		return &goType{kind: k, name: name}, nil
	}
	spec := p.types[name]
	if spec == nil {
		return nil, fmt.Errorf("the type %s is not in this package", name)
	}
	if p.document(name) != nil {
		return &goType{kind: kindDocument, name: name}, nil
	}
	if id, ok := spec.Type.(*ast.Ident); ok {
		if k, ok := basic[id.Name]; ok {
			return &goType{kind: k, name: name, enum: p.enums[name]}, nil
		}
	}
	return nil, fmt.Errorf("the type %s is neither a basic type nor a struct marked %s", name, mark)
}
