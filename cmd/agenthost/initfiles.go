package main

import (
	"bytes"
	"context"
	_ "embed" // of the templates
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/plaintemplate"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/manifest"
)

// agentPlan holds the choices that init writes.
type agentPlan struct {
	Name, Provider, Model, Checkpoint string
	Tools                             []string
}

// The names of the manifest and of its JSON Schema.
const (
	manifestFile = "agenthost.yaml"
	schemaFile   = "agenthost.schema.json"
)

// The contents of new files.
var (
	//go:embed inittemplates/agenthost.yaml.tmpl
	manifestTemplate string
	//go:embed inittemplates/rules.yaml.tmpl
	rulesTemplate string
	//go:embed inittemplates/welcome.md
	welcomeText string
)

// newFile is a file that init writes.
type newFile struct {
	path    string // relative to the directory
	content []byte
	perm    fs.FileMode
	keep    bool // an existing file stays, and does not stop init
}

// variable returns the environment variable with the key, or "" if the model needs none.
func (p *agentPlan) variable() string {
	if variables := providerNamed(p.Provider).KeyVariables; len(variables) > 0 {
		return variables[0]
	}
	return ""
}

// baseURL returns the address to write into the manifest: the usual one of a server that has none and that the environment does not name.
func (p *agentPlan) baseURL() string {
	of := providerNamed(p.Provider)
	switch {
	case !of.BaseURLNeeded || isSet(of.BaseURLVariable):
		return ""
	case of.Cloud:
		return "https://my-resource.openai.azure.com"
	default:
		return "http://localhost:4000" // LiteLLM's
	}
}

// hasFiles reports whether the agent has the file tools.
func (p *agentPlan) hasFiles() bool { return slices.Contains(p.Tools, "files") }

// write writes the files into a directory, which it creates if necessary, and returns their paths. It writes none of them if
// one already exists, unless force is set.
func (p *agentPlan) write(dir string, force bool) ([]string, error) {
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		switch _, err := os.Lstat(path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case !force && !f.keep:
			return nil, fmt.Errorf("%s already exists, and nothing was written; add --force to overwrite it", path)
		}
	}
	var written []string
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		if _, err := os.Lstat(path); err == nil && f.keep {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // anybody may read a project
			return nil, err
		}
		if err := atomicfile.Write(path, f.content, f.perm); err != nil {
			return nil, err
		}
		written = append(written, path)
	}
	ignored, err := p.ignore(dir)
	if ignored {
		written = append(written, filepath.Join(dir, gitignore))
	}
	return written, err
}

// files returns all files except .gitignore.
func (p *agentPlan) files() ([]newFile, error) {
	manifest, err := p.render(manifestTemplate)
	if err != nil {
		return nil, err
	}
	rules, err := p.render(rulesTemplate)
	if err != nil {
		return nil, err
	}
	schema, err := manifestSchema()
	if err != nil {
		return nil, err
	}
	files := []newFile{{path: manifestFile, content: manifest, perm: 0o644}, {path: schemaFile, content: schema, perm: 0o644}}
	if variable := p.variable(); variable != "" {
		keys := "# The key of " + p.Provider + ". The environment overrides this file.\n" + variable + "=\n"
		files = append(files,
			newFile{path: ".env.example", content: []byte("# Copy this file to .env, which git ignores.\n" + keys), perm: 0o644},
			newFile{path: ".env", content: []byte(keys), perm: 0o600, keep: true})
	} else if p.Provider == scriptedProvider {
		files = append(files, newFile{path: "rules.yaml", content: rules, perm: 0o644})
	}
	if p.hasFiles() {
		files = append(files, newFile{path: "data/welcome.md", content: []byte(welcomeText), perm: 0o644, keep: true})
	}
	return files, nil
}

// initFunctions are the functions of the templates.
var initFunctions = map[string]plaintemplate.Function{"quote": plaintemplate.OfText(quotedYAML), "plain": plaintemplate.OfText(plainYAML)}

// render renders a template.
func (p *agentPlan) render(text string) ([]byte, error) {
	t, err := plaintemplate.Parse(manifestFile, text, plaintemplate.Options{Functions: initFunctions})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(context.Background(), &out, map[string]any{
		"Name": p.Name, "Provider": p.Provider, "Model": p.Model, "Checkpoint": p.Checkpoint,
		"Variable": p.variable(), "BaseURL": p.baseURL(), "HasFiles": p.hasFiles(), "Keeps": p.Checkpoint != none,
	})
	return out.Bytes(), err
}

// quotedYAML quotes a text literally: JSON is YAML, and a doubled dollar sign does not expand.
func quotedYAML(text string) string { return strings.ReplaceAll(quotedJSON(text), "$", "$$") }

func quotedJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil { // a string always has a form
		return `""`
	}
	return string(quoted)
}

// plainYAML writes the address of a store, in which variables expand.
func plainYAML(text string) string {
	quoted := quotedJSON(text)
	if quoted == `"`+text+`"` && !strings.ContainsAny(text, " #{}[],&*!|>'%@`") {
		return text
	}
	return quoted
}

const gitignore = ".gitignore"

// ignore adds the private files to .gitignore, and reports whether any was missing.
func (p *agentPlan) ignore(dir string) (bool, error) {
	lines := []string{".env"}
	if file, ok := strings.CutPrefix(p.Checkpoint, "sqlite:"); ok && !filepath.IsAbs(file) && !strings.HasPrefix(file, "..") {
		lines = append(lines, file, file+"-shm", file+"-wal")
	}
	path := filepath.Join(dir, gitignore)
	had, err := regularfile.Read(path, manifest.MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	known := strings.Split(strings.ReplaceAll(string(had), "\r\n", "\n"), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(known, line) || slices.Contains(known, "/"+line) })
	if len(lines) == 0 {
		return false, nil
	}
	if len(had) > 0 && !bytes.HasSuffix(had, []byte("\n")) {
		had = append(had, '\n')
	}
	return true, atomicfile.Write(path, append(had, strings.Join(lines, "\n")+"\n"...), 0o644)
}
