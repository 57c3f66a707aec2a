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

// Detect returns the language of the sources in a directory. Go sources are built by TinyGo. The error is a [*SourceError].
func Detect(dir string) (Language, error) {
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
		return "", &SourceError{Dir: dir, Text: "it has both Go files and a Cargo.toml; say which with --lang tinygo, go or rust"}
	case golang:
		return TinyGo, nil
	case rust:
		return Rust, nil
	case script:
		return "", noBuild(dir)
	default:
		return "", &SourceError{Dir: dir, Text: "it holds no plugin: there are neither Go files nor a Cargo.toml; name another directory"}
	}
}

// noBuild is the error for a directory with scripts.
func noBuild(dir string) error {
	return &SourceError{Dir: dir, Text: "a script needs no build: name it in a manifest, or make a module of it with 'agenthost plugin pack'"}
}
