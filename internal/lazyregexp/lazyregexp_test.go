package lazyregexp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

func TestExpressionsAreCompiledOnceWhenUsed(t *testing.T) {
	t.Parallel()
	name := lazyregexp.New(`^[a-z]+$`)
	first, second := name(), name()
	require.True(t, first.MatchString("redact"))
	require.Same(t, first, second)

	wrong := lazyregexp.New(`(`)
	require.PanicsWithValue(t, "regexp: Compile(`(`): error parsing regexp: missing closing ): `(`", func() { wrong() })
}

// notLinked are the directories whose packages no program of a user links.
var notLinked = map[string]string{
	"bench": "the benchmarks",
	"test":  "the servers and rigs of tests",
}

// TestPackagesCompileNoExpressionAtTheStart holds that the packages of the module leave compiling to this package, and that all their
// expressions are right.
func TestPackagesCompileNoExpressionAtTheStart(t *testing.T) {
	t.Parallel()
	packages := sources(t, "../..")
	expressions := 0
	for _, directory := range slices.Sorted(maps.Keys(packages)) {
		p := packages[directory]
		for _, call := range p.calls {
			function, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			of, ok := function.X.(*ast.Ident)
			if !ok {
				continue
			}
			switch of.Name + "." + function.Sel.Name {
			case "regexp.MustCompile", "regexp.MustCompilePOSIX":
				if directory != "internal/lazyregexp" {
					t.Errorf("%s: use lazyregexp.New in place of regexp.MustCompile", p.files.Position(call.Pos()))
				}
			case "lazyregexp.New":
				expressions++
				expression, ok := p.text(call.Args[0])
				if !ok {
					t.Errorf("%s: the expression must consist of texts and constants of its package", p.files.Position(call.Pos()))
					continue
				}
				_, err := regexp.Compile(expression)
				require.NoErrorf(t, err, "%s", p.files.Position(call.Pos()))
			}
		}
	}
	require.Greater(t, expressions, 70, "expressions found")
}

// source is what the files of one directory hold.
type source struct {
	files     *token.FileSet
	calls     []*ast.CallExpr
	constants map[string]ast.Expr
}

// text returns the text of a constant expression.
func (s *source) text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		before, ok := s.text(e.X)
		after, also := s.text(e.Y)
		return before + after, ok && also && e.Op == token.ADD
	case *ast.Ident:
		if value, ok := s.constants[e.Name]; ok {
			return s.text(value)
		}
	}
	return "", false
}

// sources reads the module in a directory, without its tests and the modules below it.
func sources(t *testing.T, root string) map[string]*source {
	t.Helper()
	out := map[string]*source{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if within != "." && skipped(path, filepath.ToSlash(within)) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		directory := filepath.ToSlash(filepath.Dir(within))
		if out[directory] == nil {
			out[directory] = &source{files: token.NewFileSet(), constants: map[string]ast.Expr{}}
		}
		return out[directory].read(path)
	}))
	return out
}

func skipped(path, within string) bool {
	name := filepath.Base(path)
	if notLinked[within] != "" || name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil
}

func (s *source) read(path string) error {
	file, err := parser.ParseFile(s.files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			s.calls = append(s.calls, n)
		case *ast.GenDecl:
			if n.Tok == token.CONST {
				s.note(n)
			}
		}
		return true
	})
	return nil
}

// note keeps the values of a declaration of constants.
func (s *source) note(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range value.Names {
			if i < len(value.Values) {
				s.constants[name.Name] = value.Values[i]
			}
		}
	}
}
