//go:build !no_serve

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/golden"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/filewatch"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/toolchain"
	devpage "github.com/agenthost/agenthost/server/dev"
)

// devPlugin is a plugin of an agent of dev.
type devPlugin struct {
	path     string             // as the agent names it
	language toolchain.Language // that its sources are built with; "": dev does not build it
	invalid  error              // why it cannot be known how to build it
	patterns []filewatch.Pattern
	seen     filewatch.State // its files when they were last checked; nil: they never were
	ill      bool
	version  int    // counts the modules that were good
	digest   string // of the last good one
}

func newDevPlugin(path string) *devPlugin { return &devPlugin{path: path} }

// describe names the plugin and how it is built.
func (p *devPlugin) describe() string {
	switch {
	case p.language != "":
		return fmt.Sprintf("%s (built with %s)", p.path, p.language)
	case loaderOf(p.path) != nil:
		return p.path
	default:
		return p.path + " (not built here)"
	}
}

// detect finds out how the plugin is built.
func (p *devPlugin) detect() {
	p.language, p.invalid = "", nil
	dir := filepath.Dir(p.path)
	if loaderOf(p.path) != nil || filepath.Clean(p.path) != filepath.Clean(toolchain.DefaultOutput(dir)) {
		return
	}
	p.language, p.invalid = toolchain.Detect(dir)
	if _, none := errors.AsType[*toolchain.SourceError](p.invalid); none {
		p.invalid = nil
	}
}

// locate finds the files that the plugin is made of.
func (p *devPlugin) locate(ctx context.Context) {
	dir := filepath.Dir(p.path)
	if l := loaderOf(p.path); l != nil {
		p.patterns = p.scriptFiles(l)
	} else {
		p.patterns = toolchain.Build{Dir: dir}.Sources(ctx, p.language)
		if p.language == "" {
			p.patterns = append(p.patterns, filewatch.File(p.path), filewatch.File(p.path+plugin.SignatureSuffix),
				filewatch.File(filepath.Join(dir, "Cargo.toml")))
		}
	}
	p.patterns = append(p.patterns, filewatch.Pattern{Dir: golden.Dir(p.path), Match: "*.yaml"})
}

// scriptFiles returns the files of a script, and those that may become files of it. A broken script keeps what it had.
func (p *devPlugin) scriptFiles(l plugin.Loader) []filewatch.Pattern {
	files, err := l.Files(p.path)
	if err != nil && p.patterns != nil {
		return p.patterns[:len(p.patterns)-1] // without the golden cases
	}
	patterns := []filewatch.Pattern{filewatch.File(p.path)}
	dirs := []string{filepath.Dir(p.path)}
	if info, err := os.Stat(p.path); err == nil && info.IsDir() {
		dirs = []string{p.path}
	}
	for _, file := range files {
		patterns = append(patterns, filewatch.File(file))
		if dir := filepath.Dir(file); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		for _, match := range []string{"*.ts", "*.mts", "*.js", "*.mjs", "*.py", "package.json"} {
			patterns = append(patterns, filewatch.Pattern{Dir: dir, Match: match})
		}
	}
	return patterns
}

// problemError is what is wrong with a plugin, for people.
type problemError struct {
	title string
	lines []string
}

func (e *problemError) Error() string { return e.title }

// checkPlugin builds and checks a plugin if its files have changed. If it is good, it is in its place afterwards.
func (d *dev) checkPlugin(ctx context.Context, p *devPlugin) {
	if p.patterns == nil {
		p.detect()
		p.locate(ctx)
	}
	before := filewatch.Take(p.patterns)
	if p.seen != nil && before.Equal(p.seen) {
		if p.ill {
			d.sayf("%s: nothing has changed, see above", p.path)
		}
		return
	}
	p.detect()
	start := time.Now()
	digest, passed, err := d.examine(ctx, p)
	if ctx.Err() != nil {
		return // the next round looks again
	}
	p.locate(ctx) // a build may read other files now
	p.seen = filewatch.Take(p.patterns).Since(before)
	again := ""
	if p.ill && err == nil {
		again = "well again: "
	}
	p.ill = err != nil
	delete(d.problems, p.path)
	if err != nil {
		d.wrong(p.path, err)
		return
	}
	if digest != p.digest {
		p.digest = digest
		p.version++
	}
	done := "checked"
	if p.language != "" {
		done = fmt.Sprintf("built with %s", p.language)
	}
	d.sayf("%s: %s%s in %.1f s%s", p.path, again, done, time.Since(start).Seconds(), passed)
}

// examine builds and checks a plugin. It returns the digest of the module, and how many golden cases have passed as words.
func (d *dev) examine(ctx context.Context, p *devPlugin) (digest, passed string, err error) {
	if p.invalid != nil {
		return "", "", p.invalid
	}
	code, err := d.compile(ctx, p)
	if err != nil {
		return "", "", err
	}
	w := plugin.Wasm{Path: p.path, Bytes: code, Engine: d.engine}
	if l := loaderOf(p.path); l != nil { // it is bundled once, for all golden cases
		if w.Bytes, err = l.Load(p.path); err != nil {
			return "", "", &problemError{"it does not load", []string{"read: " + err.Error()}}
		}
	}
	in := author.Inspect(ctx, w)
	if !in.OK {
		return "", "", &problemError{"it does not load", []string{in.Stage + ": " + in.Message}}
	}
	if passed, err = d.test(ctx, p, w); err != nil {
		return "", "", err
	}
	if code != nil {
		if present, err := regularfile.Read(p.path, plugin.MaxModuleSize); err != nil || !bytes.Equal(present, code) {
			if err := atomicfile.Write(p.path, code, 0o644); err != nil {
				return "", "", err
			}
			d.written++
		}
	}
	return in.SHA256, passed, nil
}

// mostLines is how many lines of a compiler are shown.
const mostLines = 80

// compile builds the plugin, and returns the module, or nil if dev does not build it. The former module stays in its place.
func (d *dev) compile(ctx context.Context, p *devPlugin) (code []byte, err error) {
	if p.language == "" {
		return nil, nil
	}
	d.sayf("%s: building with %s", p.path, p.language)
	d.board.Change(func(s *devpage.State) { s.Building = p.path })
	defer d.board.Change(func(s *devpage.State) { s.Building = "" })
	dir, err := os.MkdirTemp("", "agenthost-dev-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var said bytes.Buffer
	build := toolchain.Build{Dir: filepath.Dir(p.path), Output: filepath.Join(dir, filepath.Base(p.path)), Log: &said}
	file, err := build.Run(ctx, p.language)
	if failed, ok := errors.AsType[*toolchain.FailedError](err); ok {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		if more := len(lines) - mostLines; more > 0 {
			lines = append(lines[:mostLines], fmt.Sprintf("… and %d lines more, which 'agenthost plugin build %s' shows", more, build.Dir))
		}
		return nil, &problemError{fmt.Sprintf("%s, in the directory %s", failed.Error(), build.Dir), lines}
	}
	if err != nil {
		return nil, err
	}
	return regularfile.Read(file, plugin.MaxModuleSize)
}

// test performs the golden cases of a plugin, and returns how many have passed as words.
func (d *dev) test(ctx context.Context, p *devPlugin, w plugin.Wasm) (passed string, err error) {
	files, err := golden.Find(p.path)
	if err != nil || len(files) == 0 {
		return "", err
	}
	var wrong []string
	failed := 0
	for _, file := range files {
		lines := runCase(ctx, file, w)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if len(lines) > 0 {
			failed++
			wrong = append(wrong, file+": FAILED")
			for _, line := range lines {
				wrong = append(wrong, "  "+line)
			}
		}
	}
	if failed > 0 {
		return "", &problemError{fmt.Sprintf("%d of %s failed", failed, counted(len(files), "golden case")), wrong}
	}
	return "; " + counted(len(files), "golden case") + " passed", nil
}

// runCase performs a golden case, and returns what is wrong.
func runCase(ctx context.Context, file string, w plugin.Wasm) []string {
	c, err := golden.Load(file)
	if err != nil {
		return []string{errortext.Of(err)}
	}
	outcome, err := c.Perform(ctx, w)
	if err != nil {
		return []string{err.Error()}
	}
	return c.Compare(outcome)
}
