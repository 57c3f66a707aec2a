package main

import (
	"bytes"
	_ "embed" // of the templates
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/internal/atomicfile"
)

// agentPlan is what init writes.
type agentPlan struct {
	Name, Provider, Model, Checkpoint string
	Tools                             []string
}

// The names of the manifest and of its JSON Schema.
const (
	manifestFile = "agenthost.yaml"
	schemaFile   = "agenthost.schema.json"
)

// What the files begin as.
var (
	//go:embed inittemplates/agenthost.yaml.tmpl
	manifestTemplate string
	//go:embed inittemplates/rules.yaml.tmpl
	rulesTemplate string
	//go:embed inittemplates/welcome.md
	welcomeText string
)

// planned is a file that is to be written.
type planned struct {
	path    string // below the directory
	content []byte
	perm    fs.FileMode
	keep    bool // one that is there stays, and is no obstacle
}

// variable is the environment variable with the key; "" if none is needed.
func (p *agentPlan) variable() string {
	return map[string]string{
		openai.Provider: openai.APIKeyVariable, anthropic.Provider: anthropic.APIKeyVariable, gemini.Provider: gemini.APIKeyVariable,
	}[p.Provider]
}

// HasFiles reports whether the agent has the file tools.
func (p *agentPlan) HasFiles() bool { return slices.Contains(p.Tools, "files") }

// Keeps reports whether the agent has a checkpoint.
func (p *agentPlan) Keeps() bool { return p.Checkpoint != none }

// write writes the files into a directory, which is made if it is missing, and returns those that it has written. One that is
// there keeps all of them from being written, unless it may be overwritten.
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
			return nil, fmt.Errorf("%s is there already, and nothing was written; --force overwrites it", path)
		}
	}
	var written []string
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		if _, err := os.Lstat(path); err == nil && f.keep {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a project is for everybody
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

// files are what the plan consists of, but .gitignore.
func (p *agentPlan) files() ([]planned, error) {
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
	files := []planned{{path: manifestFile, content: manifest, perm: 0o644}, {path: schemaFile, content: schema, perm: 0o644}}
	if variable := p.variable(); variable != "" {
		keys := "# The key of " + p.Provider + ". A variable of the environment wins over this file.\n" + variable + "=\n"
		files = append(files,
			planned{path: ".env.example", content: []byte("# Copy this file to .env, which git does not see.\n" + keys), perm: 0o644},
			planned{path: ".env", content: []byte(keys), perm: 0o600, keep: true})
	} else {
		files = append(files, planned{path: "rules.yaml", content: rules, perm: 0o644})
	}
	if p.HasFiles() {
		files = append(files, planned{path: "data/welcome.md", content: []byte(welcomeText), perm: 0o644, keep: true})
	}
	return files, nil
}

// render makes a file of its template.
func (p *agentPlan) render(text string) ([]byte, error) {
	t, err := template.New(manifestFile).Funcs(template.FuncMap{"quote": quotedYAML, "plain": plainYAML}).Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, p)
	return out.Bytes(), err
}

// quotedYAML writes a text as it is: JSON is YAML, and a dollar sign is written twice.
func quotedYAML(text string) (string, error) {
	quoted, err := json.Marshal(text)
	return strings.ReplaceAll(string(quoted), "$", "$$"), err
}

// plainYAML writes an address of a store, whose variables are to expand.
func plainYAML(text string) (string, error) {
	quoted, err := json.Marshal(text)
	if inner := string(quoted); err == nil && inner == `"`+text+`"` && !strings.ContainsAny(text, " #{}[],&*!|>'%@`") {
		return text, nil
	}
	return string(quoted), err
}

const gitignore = ".gitignore"

// ignore adds to .gitignore what belongs to nobody else, and reports whether anything was missing.
func (p *agentPlan) ignore(dir string) (bool, error) {
	lines := []string{".env"}
	if file, ok := strings.CutPrefix(p.Checkpoint, "sqlite:"); ok && !filepath.IsAbs(file) && !strings.HasPrefix(file, "..") {
		lines = append(lines, file, file+"-shm", file+"-wal")
	}
	path := filepath.Join(dir, gitignore)
	had, err := os.ReadFile(path)
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
