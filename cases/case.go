package cases

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/manifest/script"
)

// Case is a case.
type Case struct {
	Path string `yaml:"-"` // of the file
	Row  int    `yaml:"-"` // the row of the dataset, from 1; 0: there is none

	Description string `yaml:"description"` // free text, for people
	// the path of the agent's manifest, relative to this file
	Manifest string `yaml:"manifest" schema:"default=../agenthost.yaml"`
	// overrides of the manifest, as --set takes them, such as recursion_limit=5
	Set []string          `yaml:"set"`
	Env map[string]string `yaml:"env"` // environment variables for the manifest
	// what answers in place of the manifest's model: a script; without it and without cassette, the manifest's model must be scripted
	Model  *Script           `yaml:"model"`
	Models map[string]Script `yaml:"models"` // what answers in place of the manifest's named models
	// the path of a recording of the manifest's models, relative to this file; it answers for each model that has no script in this case, and
	// agenthost test --record writes it
	Cassette string `yaml:"cassette"`
	// the results of tools that do not run, by the name of the tool
	Tools map[string][]ToolResult `yaml:"tools"`
	// files in the copy of the manifest's directory in which the case runs, by their paths: a text, or null for a file that is not there
	Files map[string]*string `yaml:"files" strict:"optional"`
	Store []StoredValue      `yaml:"store"` // values in the agent's store when the case begins
	// true: the case runs in the manifest's directory itself, and not in a copy of it
	InPlace bool    `yaml:"in_place"`
	Now     Instant `yaml:"now"` // the time at which the agent's clock stands; default 2026-01-01T00:00:00Z
	// what a good conversation is, for the judge of agenthost eval: a text
	Rubric  string   `yaml:"rubric"`
	Dataset *Dataset `yaml:"dataset"`                 // a table with a row for each case
	Turns   []Turn   `yaml:"turns" strict:"required"` // the conversation

	text []byte // of the file
	root strictyaml.Node
}

// Turn is a part of a conversation: an input, and all that the agent does until its run is over or waits for an answer that the turn
// does not have.
type Turn struct {
	Input string   `yaml:"input" strict:"required"` // what the user says
	Files []string `yaml:"attach"`                  // the paths of files that belong to the input, relative to this file
	// fields of the agent's state that the caller sets, such as rubric
	State   map[string]any `yaml:"state"`
	Context map[string]any `yaml:"context"`                  // the context of the run
	Answers []Answer       `yaml:"answers"`                  // the answers to the agent's questions, in the order in which they are needed
	Expect  Expectation    `yaml:"expect" strict:"optional"` // what must come of the turn
}

// Script is a scripted model, with the keys that it has in a manifest.
type Script struct {
	// the provider of models that need no server: scripted
	Provider string `yaml:"provider" strict:"enum=scripted" schema:"default=scripted"`
	script.Model

	node strictyaml.Node
}

// UnmarshalStrict keeps the place.
func (s *Script) UnmarshalStrict(n strictyaml.Node) error {
	s.node = n
	type keys struct {
		Provider string `yaml:"provider" strict:"enum=scripted"`
		script.Model
	}
	var given keys
	err := n.Decode(&given)
	s.Provider, s.Model = given.Provider, given.Model
	return err
}

// Node returns the place of the script in the file.
func (s *Script) Node() strictyaml.Node { return s.node }

// StoredValue is a value in the agent's store.
type StoredValue struct {
	Namespace []string `yaml:"namespace" strict:"required"` // where the value is, such as [memories, ada]
	Key       string   `yaml:"key" strict:"required"`       // the key of the value
	Value     any      `yaml:"value"`                       // the value; in expect, null means that there is none
}

// Place names the place of the value in the store.
func (v *StoredValue) Place() string {
	return strings.Join(append(slices.Clone(v.Namespace), v.Key), "/")
}

// Time returns the time of the agent's clock.
func (c *Case) Time() time.Time { return c.Now.Time() }

// CheckStrict refuses a case whose keys contradict each other.
func (c *Case) CheckStrict(n strictyaml.Node) error {
	var errs []error
	if len(c.Turns) == 0 {
		errs = append(errs, n.Errorf("the case has no turns; add one, such as {input: hello}"))
	}
	if key, given := n.Key("files"); given && c.InPlace {
		errs = append(errs, key.Errorf("files are written only into a copy of the manifest's directory; remove the key, or in_place"))
	}
	if files, _ := n.Get("files"); len(c.Files) > 0 {
		errs = append(errs, checkPaths(files))
	}
	return strictyaml.Join(errs...)
}

// checkPaths refuses keys that are not paths below a directory.
func checkPaths(files strictyaml.Node) error {
	var errs []error
	for _, path := range files.Keys() {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			key, _ := files.Key(path)
			errs = append(errs, key.Errorf("%q must be a path below the manifest's directory", path))
		}
	}
	return strictyaml.Join(errs...)
}

// maxSize is the maximum size of the file of a case, in bytes.
const maxSize = 4 << 20

// Load reads a case. An error shows the place in the file.
func Load(path string) (*Case, error) {
	text, err := regularfile.Read(path, maxSize)
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}

// Parse reads a case from a text. The path is that of a file that need not be there.
func Parse(path string, text []byte) (*Case, error) { return parse(path, text) }

func parse(path string, text []byte) (*Case, error) {
	c := &Case{Path: path, text: text}
	var err error
	if c.root, err = strictyaml.Parse(path, text, strictyaml.WithMaxBytes(maxSize)); err != nil {
		return nil, err
	}
	if err := c.root.Decode(c); err != nil {
		return nil, err
	}
	return c, nil
}

// Name returns the name of the file without directory and extension.
func (c *Case) Name() string { return strings.TrimSuffix(filepath.Base(c.Path), filepath.Ext(c.Path)) }

// ManifestPath returns the path of the agent's manifest.
func (c *Case) ManifestPath() string {
	if c.Manifest == "" {
		return c.Beside(filepath.Join("..", ManifestFile))
	}
	return c.Beside(c.Manifest)
}

// CassettePath returns the path of the cassette, or "" if there is none.
func (c *Case) CassettePath() string {
	if c.Cassette == "" {
		return ""
	}
	return c.Beside(c.Cassette)
}

// Beside resolves a path that is relative to the file of the case.
func (c *Case) Beside(path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(c.Path), path)
}

// These are the usual names of an agent's files.
const (
	ManifestFile = "agenthost.yaml"
	Dir          = "tests" // beside the manifest; has the cases
)

// Find returns the sorted files of cases in a directory and below it: *.yaml in each directory called tests that is beside a manifest.
// If the directory is itself such a one, it returns the files in it.
func Find(dir string) ([]string, error) {
	var out []string
	if isCaseDir(dir) {
		return yamlFiles(dir)
	}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case path != dir && skipped(entry.Name()):
			return filepath.SkipDir
		case isCaseDir(path):
			files, err := yamlFiles(path)
			out = append(out, files...)
			return err
		default:
			return nil
		}
	})
	slices.Sort(out)
	return out, err
}

// skipped reports whether no cases are looked for in a directory: it is hidden, or has the packages of Node.js.
func skipped(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// isCaseDir reports whether a directory is called tests and is beside a manifest.
func isCaseDir(dir string) bool {
	path, err := filepath.Abs(dir)
	if err != nil || filepath.Base(path) != Dir {
		return false
	}
	info, err := os.Stat(filepath.Join(filepath.Dir(path), ManifestFile))
	return err == nil && info.Mode().IsRegular()
}

func yamlFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var out []string
	for _, entry := range entries {
		if !entry.IsDir() && filepath.Ext(entry.Name()) == ".yaml" {
			out = append(out, filepath.Join(dir, entry.Name()))
		}
	}
	return out, err
}
