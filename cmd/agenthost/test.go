package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/cases/perform"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// testFlags holds the flags of test.
type testFlags struct {
	update   bool
	record   bool
	run      string
	set      []string
	junit    string
	json     bool
	runs     string
	parallel int
	timeout  time.Duration
}

func (a *app) testCommand() *cobra.Command {
	var flags testFlags
	c := &cobra.Command{
		Use:   "test [DIR | FILE]... [flags]",
		Short: "Test agents with cases: what they get, and what they must do",
		Long: `Perform the cases of whole agents. A case is a YAML file: the turns of a conversation, what answers in place
of the models, and what must come of it: tool calls, messages, files, fields, limits. The cases are the files
tests/*.yaml beside a manifest, in DIR and below it, by default the current directory. docs/test.md describes
the files.

Each case runs in a copy of the manifest's directory, with its threads in memory. Without --record, no model
of a provider is asked: a case needs a script or a cassette, unless the manifest's models are scripted.

With --record, the manifest's models are asked for the cases that name a cassette, except those with a
script in the case, and the cassettes are written. A cassette has the whole conversation, but no keys; look at it before you commit it.

A failing case prints the smallest differences, and the command that shows its run in the studio.

The exit code is 0 if every case passes, 1 if one fails, and 2 if a file is invalid.`,
		Example: `  agenthost test
  agenthost test examples --run 'approval|reject'
  agenthost test tests/refund.yaml --update
  agenthost test tests/refund.yaml --record
  agenthost test --junit report.xml`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.test(c.Context(), args, &flags) },
	}
	c.AddCommand(a.testNewCommand())
	f := c.Flags()
	f.BoolVar(&flags.update, "update", false, "write what comes of each case into its file as what is expected")
	f.BoolVar(&flags.record, "record", false, "ask the models of the manifest, and write the cassettes that the cases name")
	f.StringVar(&flags.run, "run", "", "run only the cases whose path matches this `PATTERN`, a regular expression")
	f.StringArrayVar(&flags.set, "set", nil, "override a value of the manifests: `KEY=VALUE`; may be repeated")
	f.StringVar(&flags.junit, "junit", "", "write a report in JUnit's format to this `FILE`")
	f.BoolVar(&flags.json, "json", false, "print each case as a line of JSON")
	f.StringVar(&flags.runs, "runs", "", "keep the events of all cases in this `DIR`; default: those of failing cases in a temporary directory")
	f.IntVar(&flags.parallel, "parallel", runtime.GOMAXPROCS(0), "how many cases run at once: a `NUMBER`")
	f.DurationVar(&flags.timeout, "timeout", 2*time.Minute, "how long a case may take: a `DURATION`")
	return c
}

func (a *app) test(ctx context.Context, places []string, flags *testFlags) error {
	switch {
	case flags.parallel < 1:
		return &exitError{exitUsage, fmt.Errorf("--parallel %d: at least one case must run at once", flags.parallel)}
	case flags.timeout <= 0:
		return &exitError{exitUsage, fmt.Errorf("--timeout %v: the duration must be positive", flags.timeout)}
	}
	if len(places) == 0 {
		places = []string{"."}
	}
	all, err := agentCases("test", places, flags.run)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if flags.record {
		if all = slices.DeleteFunc(all, func(c *cases.Case) bool { return c.Cassette == "" }); len(all) == 0 {
			return &exitError{exitUsage, errors.New("--record: none of the cases names a cassette; add the key cassette, such as cassette: refund.cassette")}
		}
	}
	logger := a.logger()
	engine := a.engine(logger)
	defer func() { _ = engine.Close() }() // the process is about to end
	t := &testRun{app: a, flags: flags, all: all, options: perform.Options{
		Engine: engine, Logins: a.loginStore(logger), Record: flags.record, Set: flags.set,
	}}
	if a.verbose {
		t.options.Logger = logger
	}
	if err := t.perform(ctx); err != nil {
		return err
	}
	return t.summary()
}

// agentCases reads all cases before any of them is performed.
func agentCases(command string, places []string, pattern string) ([]*cases.Case, error) {
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	var files []string
	for _, place := range places {
		found, err := caseFiles(command, place)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	var out []*cases.Case
	var wrong []error
	for _, file := range files {
		if !wanted.MatchString(filepath.ToSlash(file)) {
			continue
		}
		found, err := cases.LoadAll(file)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		out = append(out, found...)
	}
	switch {
	case len(wrong) > 0:
		return nil, errors.Join(wrong...)
	case len(out) == 0:
		return nil, fmt.Errorf("--run: none of the %d cases has a path that matches %q; change the pattern", len(files), pattern)
	}
	return out, nil
}

// caseFiles returns the files of cases at a place: the file itself, or those in a directory.
func caseFiles(command, place string) ([]string, error) {
	info, err := os.Stat(place)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name a directory or the file of a case", command, regularfile.Unreadable(place, "file", err))
	}
	if !info.IsDir() {
		return []string{place}, nil
	}
	found, err := cases.Find(place)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: %w", command, regularfile.Unreadable(place, "directory", err))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", command, err)
	case len(found) == 0:
		return nil, fmt.Errorf("%s: there are no cases in %s; write them as %s beside %s",
			command, place, filepath.Join(cases.Dir, "*.yaml"), cases.ManifestFile)
	}
	return found, nil
}

// testRun is one run of cases.
type testRun struct {
	*app

	flags   *testFlags
	all     []*cases.Case
	options perform.Options

	mu      sync.Mutex
	records []*caseRecord // in the order of the cases; nil: not done yet
	printed int
	dir     string // for events of failing cases; "": not needed yet
}

// perform performs the cases, several at once, and prints each result in the order of the cases.
func (t *testRun) perform(ctx context.Context) error {
	t.records = make([]*caseRecord, len(t.all))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var workers sync.WaitGroup
	next := make(chan int)
	for range min(t.flags.parallel, len(t.all)) {
		workers.Go(func() {
			for i := range next {
				if err := t.done(i, t.one(ctx, t.all[i])); err != nil {
					stop(err)
				}
			}
		})
	}
	for i := range t.all {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	if ctx.Err() == nil {
		return nil
	}
	t.endProgress()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return &exitError{exitFailed, err}
	}
	return interrupted()
}

// one performs a case.
func (t *testRun) one(ctx context.Context, c *cases.Case) *caseRecord {
	start := time.Now()
	record := &caseRecord{Case: c.Title(), Description: c.Description}
	events := &caseEvents{}
	options := t.options
	options.Event = events.add
	limited, stop := context.WithTimeoutCause(ctx, t.flags.timeout,
		fmt.Errorf("the case took longer than %v; raise --timeout, or find out what it waits for", t.flags.timeout))
	defer stop()
	report, err := perform.Case(limited, c, options)
	record.Duration = time.Since(start)
	if err != nil {
		record.Differences = []caseDifference{{Text: err.Error()}}
	} else {
		t.judge(c, report, record)
	}
	if record.OK = len(record.Differences) == 0; ctx.Err() == nil && (!record.OK || t.flags.runs != "") && len(events.lines) > 0 {
		path, err := t.keep(c, events)
		if err != nil {
			record.Differences, record.OK = append(record.Differences, caseDifference{Text: err.Error()}), false
		}
		record.Events = path
	}
	return record
}

// judge notes what came of a case, and writes what the flags want.
func (t *testRun) judge(c *cases.Case, report *perform.Report, record *caseRecord) {
	fail := func(err error) { record.Differences = append(record.Differences, caseDifference{Text: err.Error()}) }
	record.note(report)
	if t.flags.update {
		outcomes := make([]*cases.Outcome, len(report.Turns))
		for i := range report.Turns {
			outcomes[i] = report.Turns[i].Outcome
		}
		var err error
		record.Differences = record.mismatches()
		if len(record.Differences) == 0 {
			if record.Updated, err = c.Update(outcomes); err != nil {
				fail(err)
			}
		}
	}
	if report.Cassette == nil {
		return
	}
	record.Recorded = report.Cassette.Len()
	if err := writeCassette(c.CassettePath(), report.Cassette); err != nil {
		fail(err)
	}
}

// keep writes the events of a case into a file, and returns its path.
func (t *testRun) keep(c *cases.Case, events *caseEvents) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dir == "" {
		var err error
		if t.dir = t.flags.runs; t.dir == "" {
			t.dir, err = os.MkdirTemp("", "agenthost-test-")
		} else {
			err = os.MkdirAll(t.dir, 0o700)
		}
		if err != nil {
			t.dir = ""
			return "", fmt.Errorf("the events cannot be kept: %w", err)
		}
	}
	path := filepath.Join(t.dir, eventsName(c.Title()))
	return path, atomicfile.Write(path, events.lines, 0o600) // conversations are private
}
