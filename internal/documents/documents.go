// Package documents reads the documents of package abi from its sources. Generators write them as types of other languages.
package documents

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// Document is a struct of package abi.
type Document struct {
	Name   string
	Doc    string // its comment, in one line
	Fields []Field
}

// Field is a key of a document.
type Field struct {
	Key      string
	Doc      string // the comment in its line; "": none
	Optional bool   // whether the key may be absent
	Type     Type
}

// Type is the type of a field by its name in Go, without a pointer: string, []byte, Content, wire.Raw.
type Type struct {
	Name string
	List bool // whether the field is a list of such values
}

// written lists the documents that scripts see or write with the ABI's own keys, by the file of package abi that declares them.
var written = []struct {
	file  string
	types []string
}{
	{"message.go", []string{"Message", "ToolCall", "InvalidToolCall", "Usage"}},
	{"input.go", []string{"View", "ModelRequest", "ModelResponse"}},
	{"description.go", []string{"Description", "HookSpecs", "HookSpec", "FieldSpec", "ToolSpec", "Capability"}},
	{"operation.go", []string{"Budget", "ModelInfo", "RunInfo"}},
	{"kv.go", []string{"KVEntry", "KVPage", "KVItem"}},
	{"fetch.go", []string{"Header"}},
}

// Read returns the documents that scripts see or write with the ABI's own keys. abi is the directory of the package.
func Read(abi string) ([]Document, error) {
	var all []Document
	for _, w := range written {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(abi, w.file), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, name := range w.types {
			d, err := read(file, name)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", w.file, name, err)
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// read returns the struct of a file.
func read(file *ast.File, name string) (Document, error) {
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			declared, ok := spec.(*ast.TypeSpec)
			if !ok || declared.Name.Name != name {
				continue
			}
			fields, ok := declared.Type.(*ast.StructType)
			if !ok {
				return Document{}, fmt.Errorf("it is a %T, not a struct", declared.Type)
			}
			d := Document{Name: name, Doc: strings.Join(strings.Fields(general.Doc.Text()), " ")}
			for _, f := range fields.Fields.List {
				field, err := fieldOf(f)
				if err != nil {
					return Document{}, err
				}
				d.Fields = append(d.Fields, field)
			}
			return d, nil
		}
	}
	return Document{}, errors.New("there is no such type")
}

func fieldOf(f *ast.Field) (Field, error) {
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return Field{}, err
	}
	key, option, _ := strings.Cut(reflect.StructTag(tag).Get("msgpack"), ",")
	t, err := typeOf(f.Type)
	if err != nil {
		return Field{}, fmt.Errorf("%s: %w", key, err)
	}
	return Field{Key: key, Doc: strings.TrimSpace(f.Comment.Text()), Optional: option != "", Type: t}, nil
}

func typeOf(e ast.Expr) (Type, error) {
	switch t := e.(type) {
	case *ast.Ident:
		return Type{Name: t.Name}, nil
	case *ast.StarExpr:
		return typeOf(t.X)
	case *ast.SelectorExpr:
		if from, ok := t.X.(*ast.Ident); ok {
			return Type{Name: from.Name + "." + t.Sel.Name}, nil
		}
	case *ast.ArrayType:
		element, err := typeOf(t.Elt)
		switch {
		case err != nil || element.List:
		case element.Name == "byte":
			return Type{Name: "[]byte"}, nil
		default:
			return Type{Name: element.Name, List: true}, nil
		}
	}
	return Type{}, fmt.Errorf("a field of the type %T has no counterpart in other languages", e)
}
