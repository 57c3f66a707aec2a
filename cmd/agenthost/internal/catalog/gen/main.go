// Gen writes what the sources say of configurations to comments.json, and from that docs/middleware.md. It runs in
// cmd/agenthost/internal/catalog.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/catalog"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "catalog:", err)
		os.Exit(1)
	}
}

// run writes one of the files: the document needs the comments that the program was built with.
func run() error {
	if len(os.Args) == 2 && os.Args[1] == "document" {
		document, err := catalog.Document()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.FromSlash("../../../../docs/middleware.md"), document, 0o644) //nolint:gosec // a document
	}
	text, err := commentsOf("../../../../builtin", "../../../../manifest", "../../../../manifest/script", "../../../../cases", "../../../../server/config")
	if err != nil {
		return err
	}
	return os.WriteFile("comments.json", text, 0o644) //nolint:gosec // a source file
}

// commentsOf reads the comments of the exported fields of all structs, and of the structs.
func commentsOf(dirs ...string) ([]byte, error) {
	out := map[string]string{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			note(out, filepath.Base(dir), parsed)
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(out)
	return b.Bytes(), err
}

func note(out map[string]string, pkg string, file *ast.File) {
	for _, declared := range file.Decls {
		group, ok := declared.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			named, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			fields, ok := named.Type.(*ast.StructType)
			if !ok {
				continue
			}
			name := pkg + "." + named.Name.Name
			doc := named.Doc
			if doc == nil {
				doc = group.Doc
			}
			set(out, name, doc.Text())
			for _, field := range fields.Fields.List {
				text := field.Doc.Text()
				if text == "" {
					text = field.Comment.Text()
				}
				for _, ident := range field.Names {
					if ident.IsExported() && field.Tag != nil {
						set(out, name+"."+ident.Name, text)
					}
				}
			}
		}
	}
}

func set(out map[string]string, key, text string) {
	if text = strings.TrimSpace(text); text != "" {
		out[key] = text
	}
}
