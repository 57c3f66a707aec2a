package scaffold

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// SDK says where a project takes the SDK from: a checkout, a release, or, if both are empty, the copy in this binary.
type SDK struct {
	Checkout string // absolute path of a checkout of agenthost
	Release  string // such as v1.2.3, or the version of a commit
	Commit   string // the commit of a Release without a tag; "": it has one
}

// copyDir is the directory of a project that gets the copy of the SDK.
const copyDir = "third_party/agenthost"

// modulePath is that of agenthost.
const modulePath = "github.com/agenthost/agenthost"

// dependencies are the modules that the SDK for Go needs: the first two in a plugin, the last one in its tests.
var dependencies = []string{"github.com/philhofer/fwd", "github.com/tinylib/msgp", "github.com/google/jsonschema-go"}

// Copied reports whether the project has its own copy of the SDK.
func (s SDK) Copied() bool { return s == SDK{} }

// Dir returns the directory with the SDK's sources, as the project's files name it, or "" if they come from a release.
func (s SDK) Dir() string {
	if s.Copied() {
		return "./" + copyDir
	}
	return s.Checkout
}

// MaxSource is the size of the largest file that is read from a checkout, in bytes.
const MaxSource = 1 << 20

// source reads a file of the tree that the SDK is part of. A release is the one that this binary was built from.
func (s SDK) source(name string) ([]byte, error) {
	if s.Checkout != "" {
		return regularfile.Read(filepath.Join(s.Checkout, filepath.FromSlash(name)), MaxSource)
	}
	return fs.ReadFile(agenthost.Sources(), name)
}

// Module is a Go module in a version.
type Module struct{ Path, Version string }

// Modules returns what the SDK for Go depends on.
func (s SDK) Modules() ([]Module, error) {
	content, err := s.source("go.mod")
	if err != nil {
		return nil, err
	}
	var modules []Module
	for line := range bytes.Lines(content) {
		if words := strings.Fields(string(line)); len(words) >= 2 && slices.Contains(dependencies, words[0]) {
			modules = append(modules, Module{words[0], words[1]})
		}
	}
	if len(modules) != len(dependencies) {
		return nil, fmt.Errorf("the go.mod of agenthost does not require all of %s", strings.Join(dependencies, ", "))
	}
	slices.SortFunc(modules, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return modules, nil
}

// sums returns the lines of go.sum for the modules that the SDK for Go depends on.
func (s SDK) sums() ([]byte, error) {
	modules, err := s.Modules()
	if err != nil {
		return nil, err
	}
	content, err := s.source("go.sum")
	if err != nil {
		return nil, err
	}
	var kept bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 3 && slices.Contains(modules, Module{words[0], strings.TrimSuffix(words[1], "/go.mod")}) {
			kept.WriteString(lines.Text() + "\n")
		}
	}
	return kept.Bytes(), lines.Err()
}

// goCopy returns the files of a project's copy of the SDK for Go.
func (s SDK) goCopy() ([]file, error) {
	modules, err := s.Modules()
	if err != nil {
		return nil, err
	}
	var mod bytes.Buffer
	fmt.Fprintf(&mod, "module %s\n\ngo 1.26.0\n\nrequire (\n", modulePath)
	for _, m := range modules {
		fmt.Fprintf(&mod, "\t%s %s\n", m.Path, m.Version)
	}
	mod.WriteString(")\n")
	files, err := take(".", func(name string) bool {
		return name == "LICENSE" || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
	})
	return append(files, file{path.Join(copyDir, "go.mod"), mod.Bytes()}), err
}

// rustCopy returns the files of a project's copy of the SDK for Rust.
func rustCopy() ([]file, error) {
	license, err := take(".", func(name string) bool { return name == "LICENSE" })
	if err != nil {
		return nil, err
	}
	crates, err := take("sdk/rust", func(string) bool { return true })
	return append(license, crates...), err
}

// take returns those files of this binary's sources below root that are wanted, by their paths in a project.
func take(root string, wanted func(name string) bool) ([]file, error) {
	var files []file
	tree := agenthost.Sources()
	err := fs.WalkDir(tree, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !wanted(name) {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		files = append(files, file{path.Join(copyDir, strings.TrimPrefix(name, root+"/")), content})
		return err
	})
	return files, err
}
