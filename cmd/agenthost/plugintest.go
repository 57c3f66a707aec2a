package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/golden"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/terminal"
)

// pluginTest holds the flags of plugin test.
type pluginTest struct {
	update bool
	run    string
	json   bool
}

func (a *app) pluginTestCommand() *cobra.Command {
	var flags pluginTest
	c := &cobra.Command{
		Use:   "test [DIR | FILE] [flags]",
		Short: "Run the golden cases of a plugin",
		Long: `Run the golden cases of a plugin. They are the files testdata/*.yaml next to its file; each says what a
hook gets and what it must do. The plugin is FILE, or the one in DIR, by default the current directory:
DIR itself if it has a package.json or an __init__.py, or else a script (*.ts, *.js, *.py) in it, or else a
module (*.wasm). Of several, it is the one with the directory's name.

Each case runs in the sandbox in an instance of its own, and the host checks and applies the result as in
any run. docs/plugin-test.md describes the files.

The exit code is 0 if every case passes, 5 if one fails, and 2 if a file is invalid.`,
		Example: `  agenthost plugin test
  agenthost plugin test plugins/redact --run 'email|card'
  agenthost plugin test build/redact.wasm --update
  agenthost plugin test policy.ts`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.pluginTest(c.Context(), append(args, ".")[0], &flags)
		},
	}
	c.Flags().BoolVar(&flags.update, "update", false, "write the actual result of each case into its file as the expected one")
	c.Flags().StringVar(&flags.run, "run", "", "run only the cases whose name matches this `PATTERN`, a regular expression")
	c.Flags().BoolVar(&flags.json, "json", false, "print each case as a line of JSON")
	return c
}

func (a *app) pluginTest(ctx context.Context, place string, flags *pluginTest) error {
	module, cases, err := goldenCases(place, flags.run)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	engine := a.engine(a.logger())
	defer func() { _ = engine.Close() }() // the process is about to end
	t := &goldenRun{app: a, flags: flags, wasm: plugin.Wasm{Path: module, Engine: engine}}
	for _, c := range cases {
		if err := t.perform(ctx, c); err != nil {
			return err
		}
	}
	return t.summary()
}

// goldenCases finds a module and reads all of its cases before any of them runs.
func goldenCases(place, pattern string) (module string, cases []*golden.Case, err error) {
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return "", nil, fmt.Errorf("--run: %w", err)
	}
	if module, err = moduleAt(place); err != nil {
		return "", nil, err
	}
	files, err := golden.Find(module)
	if err != nil {
		return "", nil, err
	}
	var wrong []error
	for _, file := range files {
		c, err := golden.Load(file)
		if err != nil {
			wrong = append(wrong, err)
		} else if wanted.MatchString(c.Name()) {
			cases = append(cases, c)
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return "", nil, err
	}
	switch dir := golden.Dir(module); {
	case len(files) == 0:
		return "", nil, fmt.Errorf("%s has no golden cases; write them as *.yaml in %s", module, dir)
	case len(cases) == 0:
		return "", nil, fmt.Errorf("--run: none of the %d cases in %s has a name that matches %q; change the pattern", len(files), dir, pattern)
	}
	return module, cases, nil
}

// moduleAt returns the plugin that a path names: the file itself, or the plugin in the directory.
func moduleAt(place string) (string, error) {
	info, err := os.Stat(place)
	if err != nil {
		return "", fmt.Errorf("plugin test: %w; name a plugin or its directory", regularfile.Unreadable(place, "file", err))
	}
	if !info.IsDir() || loaderOf(place) != nil {
		return place, nil
	}
	path, err := filepath.Abs(place)
	if err != nil {
		return "", err
	}
	modules, scripts, err := pluginsIn(place)
	if err != nil {
		return "", err
	}
	for _, found := range [][]string{scripts, modules} {
		for _, file := range found {
			if strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) == filepath.Base(path) {
				return file, nil
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return "", fmt.Errorf("plugin test: there are %d plugins in %s (%s); name the one to test", len(found), place, someNames(found))
		}
	}
	return "", fmt.Errorf("plugin test: there is no module (*.wasm) and no script in %s; build one with 'agenthost plugin build'", place)
}

// someNames returns the base names of at most three files.
func someNames(files []string) string {
	var names []string
	for _, file := range files[:min(len(files), 3)] {
		names = append(names, filepath.Base(file))
	}
	if len(files) > len(names) {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// auxiliary matches the names of files that are next to plugins: types, and unit tests as Node's test runner and pytest find them.
var auxiliary = lazyregexp.New(`\.(d|test)\.[mc]?[tj]s$|^(test_.*|.*_test|conftest)\.py$`)

// pluginsIn returns the modules and the scripts in a directory.
func pluginsIn(dir string) (modules, scripts []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("plugin test: %w", regularfile.Unreadable(dir, "directory", err))
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
		case filepath.Ext(path) == ".wasm":
			modules = append(modules, path)
		case loaderOf(path) != nil && !auxiliary().MatchString(e.Name()):
			scripts = append(scripts, path)
		}
	}
	return modules, scripts, nil
}

// counted returns a number with a noun, such as "1 case" or "2 cases".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// goldenRun is one run of golden cases.
type goldenRun struct {
	*app

	flags   *pluginTest
	wasm    plugin.Wasm
	total   int
	failed  int
	updated int
}

// testRecord is what the command prints about a case.
type testRecord struct {
	Case    string   `json:"case"` // its file
	OK      bool     `json:"ok"`
	Updated bool     `json:"updated,omitempty"`
	Fuel    uint64   `json:"fuel,omitempty"`
	Lines   []string `json:"lines,omitempty"` // the differences
}

// perform runs a case and prints the result.
func (t *goldenRun) perform(ctx context.Context, c *golden.Case) error {
	record := testRecord{Case: c.Path}
	outcome, err := c.Perform(ctx, t.wasm)
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case err != nil:
		record.Lines = []string{err.Error()}
	default:
		record.Fuel = outcome.Fuel
		if t.flags.update {
			if record.Updated, err = c.Update(outcome); err != nil {
				record.Lines = []string{err.Error()}
			}
		} else {
			record.Lines = c.Compare(outcome)
		}
	}
	record.OK = len(record.Lines) == 0
	t.total++
	if !record.OK {
		t.failed++
	}
	if record.Updated {
		t.updated++
	}
	if err := t.print(&record); err != nil {
		return &exitError{exitFailed, err}
	}
	return nil
}

func (t *goldenRun) print(r *testRecord) error {
	if t.flags.json {
		return terminal.PrintLine(t.out, r)
	}
	outcome := fmt.Sprintf("ok (fuel %d)", r.Fuel)
	switch {
	case !r.OK:
		outcome = "FAILED"
	case r.Updated:
		outcome = "updated"
	}
	_, err := fmt.Fprintln(t.out, terminal.List(r.Case+": "+outcome, r.Lines))
	return err
}

// summary prints the totals and returns the error with the exit code.
func (t *goldenRun) summary() error {
	if !t.flags.json {
		updated := ""
		if t.flags.update {
			updated = fmt.Sprintf(", %d updated", t.updated)
		}
		fmt.Fprintf(t.out, "%s, %d failed%s\n", counted(t.total, "case"), t.failed, updated)
	}
	if t.failed > 0 {
		return &exitError{exitPlugin, nil}
	}
	return nil
}
