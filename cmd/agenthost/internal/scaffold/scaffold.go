// Package scaffold writes new plugin projects: sources with some hooks, unit tests, golden cases, a manifest to try the plugin
// with, and a README.
package scaffold

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/codegen"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/plaintemplate"
	"github.com/agenthost/agenthost/internal/toolchain"
)

// Project describes a new project.
type Project struct {
	Name     string             // of the plugin
	Dir      string             // the directory to write; it must be empty or missing
	Language toolchain.Language // projects for TinyGo and Go differ only in their build commands
	Hooks    []abi.Hook         // the hooks to begin with
	SDK      SDK                // where it comes from
}

//go:embed templates
var templates embed.FS

// names matches the names that a plugin, a Go module and a crate may have.
var names = lazyregexp.New(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// maxName is the maximum length of a name.
const maxName = 64

// Write writes the project and returns its files by their paths in Dir, a copied SDK as one directory. Dir must be empty or missing.
func (p *Project) Write() ([]string, error) {
	if !names().MatchString(p.Name) || len(p.Name) > maxName {
		return nil, fmt.Errorf("%q is not a valid name for a plugin; use at most %d lower-case letters, digits and single dashes, "+
			"and begin with a letter", p.Name, maxName)
	}
	if entries, err := os.ReadDir(p.Dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s already exists and is not empty; choose another name, or remove it", p.Dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files, err := p.render()
	if err != nil {
		return nil, err
	}
	sdk, err := p.copySDK()
	if err != nil {
		return nil, err
	}
	for _, f := range append(files, sdk...) {
		if err := p.write(f); err != nil {
			return nil, err
		}
	}
	if p.IsGo() {
		code, err := codegen.Generate(p.Dir)
		if err != nil {
			return nil, err
		}
		generated := file{codegen.Output, code}
		if err := p.write(generated); err != nil {
			return nil, err
		}
		files = append(files, generated)
	}
	if len(sdk) > 0 {
		files = append(files, file{path: copyDir + "/"})
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
	}
	slices.Sort(paths)
	return paths, nil
}

// write writes one file of the project.
func (p *Project) write(f file) error {
	path := filepath.Join(p.Dir, filepath.FromSlash(f.path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // anybody may read sources
		return err
	}
	return os.WriteFile(path, f.content, 0o644) //nolint:gosec // anybody may read sources
}

// copySDK returns the project's own copy of the SDK, if it has one.
func (p *Project) copySDK() ([]file, error) {
	switch {
	case !p.SDK.Copied():
		return nil, nil
	case p.Language.IsScript(): // the module is part of the engine
		return nil, nil
	case p.IsGo():
		return p.SDK.goCopy()
	default:
		return rustCopy()
	}
}

// file is a file of the project.
type file struct {
	path    string
	content []byte
}

// render renders the templates of the project.
func (p *Project) render() ([]file, error) {
	dirs := []string{"templates/common"}
	switch {
	case p.IsGo():
		dirs = append(dirs, "templates/go")
	case p.IsPython():
		dirs = append(dirs, "templates/script", "templates/python")
	case p.Language.IsScript():
		dirs = append(dirs, "templates/script", "templates/javascript")
	default:
		dirs = append(dirs, "templates/rust")
	}
	data, err := p.data()
	if err != nil {
		return nil, err
	}
	var files []file
	for _, dir := range dirs {
		err := fs.WalkDir(templates, dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := p.execute(path, data)
			if err != nil || len(bytes.TrimSpace(content)) == 0 { // the file of a hook that the project does not have
				return err
			}
			// Embedding leaves out hidden files, so the templates name .x as dot-x. FILE is the plugin's own file.
			name := strings.TrimSuffix(strings.TrimPrefix(path, dir+"/"), ".tmpl")
			files = append(files, file{strings.NewReplacer("dot-", ".", "FILE", p.File()).Replace(name), content})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if p.IsGo() {
		sums, err := p.SDK.sums()
		if err != nil {
			return nil, err
		}
		files = append(files, file{"go.sum", sums})
	}
	return files, nil
}

func (p *Project) execute(path string, data map[string]any) ([]byte, error) {
	text, err := fs.ReadFile(templates, path)
	if err != nil {
		return nil, err
	}
	t, err := plaintemplate.Parse(path, string(text), plaintemplate.Options{Functions: p.functions()})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(context.Background(), &b, data); err != nil {
		return nil, err
	}
	content := b.Bytes()
	if strings.HasSuffix(path, ".go.tmpl") && len(bytes.TrimSpace(content)) > 0 {
		return format.Source(content)
	}
	return content, nil
}

// IsGo reports whether the project is written in Go.
func (p *Project) IsGo() bool { return p.Language == toolchain.Go || p.Language == toolchain.TinyGo }

// File returns the file that the project's manifest names.
func (p *Project) File() string { return p.Name + p.Language.Extension() }

// IsPython reports whether the plugin is written in Python.
func (p *Project) IsPython() bool { return p.Language == toolchain.Python }
