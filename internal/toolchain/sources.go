package toolchain

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/agenthost/agenthost/internal/filewatch"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// Sources returns the files that a build of the plugin reads, apart from those of the language and of downloaded packages: a change of one
// of them may change the plugin. What the compilers cannot say, as of a broken project, is left out.
func (b Build) Sources(ctx context.Context, l Language) []filewatch.Pattern {
	patterns := []filewatch.Pattern{filewatch.File(filepath.Join(b.Dir, ProjectFile))}
	switch l {
	case Go, TinyGo:
		return append(patterns, b.goSources(ctx, l)...)
	case Rust:
		return append(patterns, b.rustSources()...)
	default:
		return patterns
	}
}

// localPackages is a template of go list. It prints the directory, the embedded files and the go.mod of each package whose sources are not
// in the cache of modules.
const localPackages = `{{if .Module}}{{if or .Module.Main (and .Module.Replace (not .Module.Replace.Version))}}{{$dir := .Dir}}` +
	`dir {{$dir}}{{range .EmbedFiles}}
file {{$dir}}/{{.}}{{end}}
file {{.Module.GoMod}}{{end}}{{end}}`

// goSources returns the files of the package and of the local packages that it imports.
func (b Build) goSources(ctx context.Context, l Language) []filewatch.Pattern {
	patterns := append(goFiles(b.Dir), filewatch.File(filepath.Join(b.Dir, "go.mod")), filewatch.File(filepath.Join(b.Dir, "go.sum")))
	path, err := find("go")
	if err != nil {
		return patterns
	}
	var said bytes.Buffer
	t := &tool{
		path: path, args: []string{"list", "-e", "-deps", "-tags=" + string(l), "-f", localPackages, "."}, stdout: &said,
		environment: []string{"GOOS=wasip1", "GOARCH=wasm"},
	}
	quiet := Build{Dir: b.Dir, Log: &bytes.Buffer{}} // the build itself says what is wrong
	if quiet.do(ctx, t) != nil {
		return patterns
	}
	seen := map[string]bool{}
	for line := range strings.Lines(said.String()) {
		line = strings.TrimRight(line, "\r\n")
		kind, name, ok := strings.Cut(line, " ")
		if !ok || seen[line] {
			continue
		}
		seen[line] = true
		switch kind {
		case "dir":
			patterns = append(patterns, goFiles(name)...)
		case "file":
			patterns = append(patterns, filewatch.File(filepath.FromSlash(name)))
		}
	}
	return patterns
}

func goFiles(dir string) (patterns []filewatch.Pattern) {
	for _, match := range []string{"*.go", "*.s", "*.h"} {
		patterns = append(patterns, filewatch.Pattern{Dir: dir, Match: match})
	}
	return patterns
}

// rustSources returns the usual files of a crate, and those that the last build has read.
func (b Build) rustSources() (patterns []filewatch.Pattern) {
	for _, match := range []string{"Cargo.toml", "Cargo.lock", ".cargo/*", "build.rs", "src/*.rs", "src/*/*.rs", "src/*/*/*.rs"} {
		patterns = append(patterns, filewatch.Pattern{Dir: b.Dir, Match: match})
	}
	target := os.Getenv("CARGO_TARGET_DIR")
	if target == "" {
		target = filepath.Join(b.Dir, "target")
	}
	lists, _ := filepath.Glob(filepath.Join(escaped(target), rustTarget, "release", "*.d")) // the pattern is well-formed
	for _, list := range lists {
		text, err := regularfile.Read(list, maxConfig)
		if err != nil {
			continue
		}
		for _, file := range dependencies(string(text)) {
			patterns = append(patterns, filewatch.File(file))
		}
	}
	return patterns
}

// escaped returns a path as a pattern that matches it alone.
func escaped(path string) string {
	if os.PathSeparator == '\\' { // there is no escaping
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// dependencies returns the files after the colon of each line in a list that cargo wrote, in the syntax of a Makefile.
func dependencies(text string) (files []string) {
	const space = "\x00" // no path has it
	for line := range strings.Lines(strings.ReplaceAll(text, `\ `, space)) {
		_, list, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		for file := range strings.FieldsSeq(list) {
			files = append(files, strings.ReplaceAll(file, space, " "))
		}
	}
	return files
}
