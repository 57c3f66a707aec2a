package lock

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/registry/reference"
)

// MaxSize is the size of the largest lock file, in bytes.
const MaxSize = 1 << 20

// File is a lock file.
type File struct {
	Version int      `yaml:"version" strict:"required,min=1,max=1"` // the version of the format: 1
	Plugins []Plugin `yaml:"plugins"`                               // what was accepted, in the order of their sources
}

// Plugin is what was accepted for one source.
type Plugin struct {
	Source string `yaml:"source" strict:"required"` // the reference or the URL, as in the manifest
	// the digest of the manifest in the registry; empty for a URL
	Manifest string `yaml:"manifest"`
	SHA256   string `yaml:"sha256" strict:"required"` // the digest of the module, in hexadecimal
	// the minisign public key that signed the module; empty if the manifest asked for no signature
	Signer  string `yaml:"signer"`
	Name    string `yaml:"name" strict:"required"`    // the plugin's own name
	Version string `yaml:"version" strict:"required"` // the plugin's own version
	Asks    Asks   `yaml:"asks"`                      // what the plugin asks for
}

// Asks is [plugin.Asks] with the keys of the file.
type Asks struct {
	Hooks        []string `yaml:"hooks"`
	Messages     []string `yaml:"messages"`
	Capabilities []string `yaml:"capabilities"`
	Context      []string `yaml:"context"`
	Reads        []string `yaml:"reads"`
	Writes       []string `yaml:"writes"`
}

// Path returns the path of a manifest's lock file: for agenthost.yaml, agenthost.lock in the same directory.
func Path(manifest string) string {
	return strings.TrimSuffix(manifest, filepath.Ext(manifest)) + ".lock"
}

// Read reads a lock file. It returns an empty one if there is no such file. A file that it cannot read or understand is an error.
func Read(path string) (*File, error) {
	data, err := regularfile.Read(path, MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Version: 1}, nil
	}
	if err != nil {
		return nil, err
	}
	var f File
	if err := strictyaml.Decode(path, data, &f); err != nil {
		return nil, err
	}
	for i := range f.Plugins {
		if err := f.check(i); err != nil {
			return nil, fmt.Errorf("%s: plugins[%d]: %w; 'agenthost plugin lock' writes the file anew once it is removed", path, i, err)
		}
	}
	return &f, nil
}

// check checks an entry.
func (f *File) check(i int) error {
	p := &f.Plugins[i]
	if sum, err := hex.DecodeString(p.SHA256); err != nil || len(sum) != 32 || p.SHA256 != strings.ToLower(p.SHA256) {
		return errors.New("sha256 is not 64 hexadecimal digits in lower case")
	}
	if p.Manifest != "" && !reference.IsDigest(p.Manifest) {
		return errors.New("manifest is not sha256: and 64 hexadecimal digits")
	}
	if p.Signer != "" {
		if err := plugin.ParseKey(p.Signer); err != nil {
			return fmt.Errorf("signer: %w", err)
		}
	}
	if slices.ContainsFunc(f.Plugins[:i], func(o Plugin) bool { return o.Source == p.Source }) {
		return errors.New("the source is listed twice")
	}
	return nil
}

// Find returns the entry of a source, or nil if there is none.
func (f *File) Find(source string) *Plugin {
	for i := range f.Plugins {
		if f.Plugins[i].Source == source {
			return &f.Plugins[i]
		}
	}
	return nil
}

const head = "# 'agenthost plugin lock' writes this file. Keep it together with the manifest.\n"

// Write replaces a lock file.
func (f *File) Write(path string) error {
	plugins := slices.Clone(f.Plugins)
	slices.SortFunc(plugins, func(a, b Plugin) int { return cmp.Compare(a.Source, b.Source) })
	out := &strings.Builder{}
	out.WriteString(head + "version: 1\nplugins:")
	if len(plugins) == 0 {
		out.WriteString(" []")
	}
	out.WriteString("\n")
	for i := range plugins {
		plugins[i].write(out)
	}
	return atomicfile.Write(path, []byte(out.String()), 0o644)
}

func (p *Plugin) write(out *strings.Builder) {
	before := "  - "
	for _, line := range []struct{ key, value string }{
		{"source", p.Source}, {"manifest", p.Manifest}, {"sha256", p.SHA256}, {"signer", p.Signer}, {"name", p.Name}, {"version", p.Version},
	} {
		if line.value != "" {
			fmt.Fprintf(out, "%s%s: %s\n", before, line.key, quoted(line.value))
			before = "    "
		}
	}
	out.WriteString("    asks:\n")
	for _, list := range []struct {
		key   string
		names []string
	}{
		{"hooks", p.Asks.Hooks},
		{"messages", p.Asks.Messages},
		{"capabilities", p.Asks.Capabilities},
		{"context", p.Asks.Context},
		{"reads", p.Asks.Reads},
		{"writes", p.Asks.Writes},
	} {
		names := make([]string, len(list.names))
		for i, name := range list.names {
			names[i] = quoted(name)
		}
		fmt.Fprintf(out, "      %s: [%s]\n", list.key, strings.Join(names, ", "))
	}
}

// quoted writes a string as YAML. Every JSON string is one.
func quoted(s string) string {
	out, err := json.Marshal(s)
	if err != nil { // a string has no error
		return `""`
	}
	return string(out)
}
