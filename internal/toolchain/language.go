package toolchain

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/regularfile"
)

// Language is a way to build a plugin: a language and its compiler.
type Language string

// The languages.
const (
	Go     Language = "go"     // the go command: the whole standard library, and modules of several megabytes
	TinyGo Language = "tinygo" // the same language with a fraction of the size and memory
	Rust   Language = "rust"   // cargo, for wasm32-unknown-unknown

	TypeScript Language = "ts" // scripts, which need no build
	JavaScript Language = "js"
	Python     Language = "python"
)

// scripts has the languages whose plugins load from their sources, with the extension of their files.
var scripts = map[Language]string{TypeScript: ".ts", JavaScript: ".js", Python: ".py"}

// The oldest versions of the compilers that the SDKs work with.
const (
	MinGo     = "1.26"
	MinTinyGo = "0.41"
	MinRust   = "1.85"
)

// IsScript reports whether plugins in the language load from their sources.
func (l Language) IsScript() bool { return scripts[l] != "" }

// Extension returns the extension of a plugin's file, such as .py, or .wasm for the result of a build.
func (l Language) Extension() string { return cmp.Or(scripts[l], ".wasm") }

// Names lists the languages for messages and help.
const Names = "go, tinygo, rust, ts, js or python"

// Parse reads the name of a language.
func Parse(name string) (Language, error) {
	switch l := Language(name); l {
	case Go, TinyGo, Rust, TypeScript, JavaScript, Python:
		return l, nil
	default:
		return "", fmt.Errorf("the language %q is unknown; use %s", name, Names)
	}
}

// Detect returns the language of the sources in a directory: that in its [ProjectFile], or Rust if there is a Cargo.toml. Two compilers
// build Go, so that Go files need a project file. The error is a [*SourceError], or says what is wrong with the project file.
func Detect(dir string) (Language, error) {
	if known, err := readProject(dir); known.Language != "" || err != nil {
		return Language(known.Language), err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		said := err.Error()
		if worded, ok := errors.AsType[*regularfile.PathError](regularfile.Unreadable(dir, "directory", err)); ok {
			said = worded.Text
		}
		return "", &SourceError{Dir: dir, Text: said}
	}
	var golang, rust, script bool
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir():
		case name == "Cargo.toml":
			rust = true
		case filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
			golang = true
		case slices.Contains(slices.Collect(maps.Values(scripts)), filepath.Ext(name)):
			script = true
		}
	}
	switch {
	case golang && rust:
		return "", &SourceError{Dir: dir, Text: "it has both Go files and a Cargo.toml; say which with --lang tinygo, go or rust, " + orRemember}
	case golang:
		return "", &SourceError{Dir: dir, Text: "TinyGo or Go can build its Go files; say which with --lang tinygo or --lang go, " + orRemember}
	case rust:
		return Rust, nil
	case script:
		return "", noBuild(dir)
	default:
		return "", &SourceError{Dir: dir, Text: "it holds no plugin: there are neither Go files nor a Cargo.toml; name another directory"}
	}
}

// orRemember tells how to answer once and for all.
const orRemember = "or in a file " + ProjectFile + " with a line such as\nlanguage: tinygo"

// noBuild is the error for a directory with scripts.
func noBuild(dir string) error {
	return &SourceError{Dir: dir, Text: "a script needs no build: name it in a manifest, or make a module of it with 'agenthost plugin pack'"}
}
