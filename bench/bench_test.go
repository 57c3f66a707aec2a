package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sample         Sample
		median, spread float64
	}{
		{nil, 0, 0},
		{Sample{3}, 3, 0},
		{Sample{3, 1, 2}, 2, 0},
		{Sample{4, 1, 2, 3}, 2.5, 0.4},
		{Sample{100, 10, 11, 12, 9, 10, 10}, 10, 0.2},
	} {
		if median, spread := c.sample.median(), c.sample.spread(); median != c.median || spread != c.spread {
			t.Errorf("%v: median %g, spread %g; want %g, %g", c.sample, median, spread, c.median, c.spread)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		duration(812.4): "812 ns", duration(3612): "3.61 µs", duration(1.3784e6): "1,378 µs", duration(16.52e6): "16.5 ms", duration(2.1e10): "21.0 s",
		size(1044): "1,044 B", size(885_000): "885 KB", size(4.42e7): "44.2 MB", times(383.2): "383×", times(1.084): "1.08×", digits(25962.2): "25,962",
		milliseconds(1.02): "1,020 µs", percent(0.28): "28 %",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestReadGoBench(t *testing.T) {
	t.Parallel()
	out := "goos: linux\nBenchmarkHook1KB/native \t 10 \t 1044 ns/op\nBenchmarkHook1KB/tinygo-2   \t 100 \t 9600 ns/op\t  9.196 x_native\t 500 B/op\nPASS\n"
	m, err := metric{bench: "BenchmarkHook1KB/tinygo", unit: "x_native"}.read(out)
	if err != nil || m.NS != 9.196 {
		t.Errorf("%v, %v", m, err)
	}
	if m, err := (metric{bench: "BenchmarkHook1KB/native", unit: "x_native"}).read(out); err == nil {
		t.Errorf("found %v where there is none", m)
	}
}

func TestMetricsShareTheOutputOfABenchmark(t *testing.T) {
	t.Parallel()
	first := metric{title: "time", pkg: pluginPackage, bench: "BenchmarkUnknown/one", run: "BenchmarkUnknown", unit: "ns/op"}
	second := metric{title: "memory", pkg: pluginPackage, bench: "BenchmarkUnknown/two", run: "BenchmarkUnknown", unit: "bytes"}
	outputs := benchmarkOutputs{{pluginPackage, "BenchmarkUnknown"}: {
		text: "BenchmarkUnknown/one \t 10 \t 1044 ns/op\nBenchmarkUnknown/two \t 10 \t 9 ns/op \t 500 bytes\n", read: map[string]bool{},
	}}
	for want, m := range map[float64]*metric{1044: &first, 500: &second} {
		if got, err := outputs.measure(t.Context(), &Options{}, m); err != nil || got.NS != want {
			t.Errorf("%s: %v, %v", m.title, got, err)
		}
	}
	if got, err := outputs.measure(t.Context(), &Options{}, &first); err == nil {
		t.Errorf("a second repetition is %v, from the output of the first", got)
	}
}

func TestReadAttributes(t *testing.T) {
	t.Parallel()
	found := readAttributes("=== RUN   TestA\n=== ATTR  TestA page_bytes 46100\n=== ATTR  TestA Chat_frame 1.67e+07\n=== ATTR  TestA owner somebody\n" +
		"    a_test.go:1: === ATTR TestA no 1\nPASS\n")
	if len(found) != 2 || found["page_bytes"] != 46100 || found["Chat_frame"] != 1.67e7 {
		t.Errorf("%v", found)
	}
}

func TestTheStudioIsMeasuredOnceForAllFigures(t *testing.T) {
	t.Parallel()
	tests := &studioTests{last: map[string]float64{}, failed: nil}
	for i, f := range figures {
		tests.last[f.key] = float64(i + 1)
	}
	results := &Results{Suites: []*Done{{Suite: studioSuite(), Cells: map[cellKey]*Cell{}}}}
	for i, f := range figures {
		m, err := tests.measure(t.Context(), nil, Row{Label: f.title}, Case{})
		if err != nil || m.NS != float64(i+1) {
			t.Errorf("%s: %v, %v", f.title, m, err)
			continue
		}
		results.Suites[0].Cells[cellKey{f.title, "value"}] = &Cell{NS: Sample{m.NS}}
	}
	if slowest, err := slowestView(results); err != nil || slowest != 5 {
		t.Errorf("the slowest view takes %g, %v", slowest, err)
	}
	tests.failed = errors.New("broken")
	if _, err := tests.measure(t.Context(), nil, Row{Label: firstView}, Case{}); err == nil {
		t.Error("a second repetition has numbers of the first")
	}
}

func TestASuiteMayLimitItsRepetitions(t *testing.T) {
	t.Parallel()
	limited := &Suite{Reps: 3}
	for given, want := range map[int]int{1: 1, 3: 3, 7: 3} {
		if got := limited.reps(&Options{Reps: given}); got != want {
			t.Errorf("-reps %d: %d, want %d", given, got, want)
		}
	}
	if got := (&Suite{}).reps(&Options{Reps: 7}); got != 7 {
		t.Errorf("without a limit: %d, want 7", got)
	}
	d := done(t)
	const said = "Each number is the median of 3 measurements."
	var all, three strings.Builder
	d.write(&all)
	d.Reps = 3
	d.write(&three)
	if strings.Contains(all.String(), said) || !strings.Contains(three.String(), said) {
		t.Errorf("with 7:\n%s\nwith 3:\n%s", all.String(), three.String())
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	if out, err := output(t.Context(), ".", time.Minute, "sh", "-c", "echo said"); err != nil || string(out) != "said\n" {
		t.Errorf("%q, %v", out, err)
	}
	_, err := output(t.Context(), ".", time.Minute, "sh", "-c", "echo it has no memory >&2; exit 2")
	var absent absentError
	if !errors.As(err, &absent) || absent.Error() != "it has no memory" {
		t.Errorf("err is %v", err)
	}
	if _, err = output(t.Context(), ".", time.Minute, "sh", "-c", "echo broken >&2; exit 1"); err == nil || errors.As(err, &absent) || !strings.Contains(err.Error(), "broken") {
		t.Errorf("err is %v", err)
	}
}

// done is a suite that was performed: ours takes 2 µs, theirs 500, and another did something else.
func done(t *testing.T) *Done {
	t.Helper()
	d := &Done{
		Options: &Options{Reps: 7, Seconds: 0.5},
		Suite: &Suite{
			Name: "loop", Title: "rounds", Unit: "round", Cases: []Case{{"plain", "plain"}},
			Rows: []Row{{Label: ours, Peer: "agenthost"}, {Label: "LangChain Python", Peer: "other"}, {Label: "Cheat", Peer: "other"}, {Label: "Absent", Peer: "none"}},
		},
		Peers: map[string]*Peer{"agenthost": {Name: "agenthost", Versions: "1.0"}, "none": {Name: "none", Absent: "no such\nthing"}},
		Cells: map[cellKey]*Cell{{"Absent", "plain"}: {Absent: "no such thing"}},
	}
	for label, m := range map[string]*Measurement{
		ours: {NS: 2000, Check: "rounds=51"}, "LangChain Python": {NS: 500_000, Check: "rounds=51"}, "Cheat": {NS: 1, Check: "rounds=1"},
	} {
		cell := &Cell{}
		if err := cell.add(m); err != nil {
			t.Fatal(err)
		}
		d.Cells[cellKey{label, "plain"}] = cell
	}
	d.compare(d.Cases[0])
	return d
}

func TestReport(t *testing.T) {
	t.Parallel()
	r := &Results{Options: &Options{Reps: 7, Seconds: 0.5}, Machine: "a machine", Suites: []*Done{done(t)}}
	file := filepath.Join(t.TempDir(), "RESULTS.md")
	if err := r.save(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"a machine", "* agenthost: 1.0\n", "* none is absent: no such thing\n",
		"| agenthost | 2.00 µs |", "| LangChain Python | 500 µs (250×) |", "* Absent, plain: no such thing\n",
		"## In short\n\n| | a round |\n|---|--:|\n| agenthost | 2.00 µs |\n| LangChain Python | 250× |\n\n",
		"| round, plain | ≤ 5.00 µs | 2.00 µs | met |", "| round, plain: LangChain Python : agenthost | ≥ 250× | 250× | met |",
		`* loop plain, Cheat: it did "rounds=1", where agenthost did "rounds=51"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "| Cheat") || strings.Contains(string(text), "LangChain JS : agenthost") {
		t.Errorf("what was not measured, or did something else, is in\n%s", text)
	}
	if err := r.failure(); err == nil || !strings.Contains(err.Error(), "Cheat") {
		t.Errorf("err is %v", err)
	}
}

func TestAMissedTarget(t *testing.T) {
	t.Parallel()
	d := done(t)
	d.Cells[cellKey{ours, "plain"}].NS = Sample{7500}
	var out strings.Builder
	(&Results{Suites: []*Done{d}}).writeTargets(&out)
	for _, want := range []string{
		"| 7.50 µs | **missed** by 50 % |", "| 66.7× | **missed** by 275 % |", "\n* round, plain: all that is Go takes longer",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestARowThatDoesSomethingElseInEachRepetition(t *testing.T) {
	t.Parallel()
	cell := &Cell{}
	if err := cell.add(&Measurement{NS: 1, Check: "rounds=51"}); err != nil {
		t.Fatal(err)
	}
	if err := cell.add(&Measurement{NS: 1, Check: "rounds=50"}); err == nil || len(cell.NS) != 1 {
		t.Errorf("err is %v, the samples %v", err, cell.NS)
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]Options{
		"":                        {Reps: 7, Seconds: 0.5, Core: 1, Out: "RESULTS.md"},
		"-quick":                  {Reps: 1, Seconds: 0.1, Core: 1},
		"-only loop -reps 3":      {Reps: 3, Seconds: 0.5, Core: 1},
		"-only loop -o loop.md":   {Reps: 7, Seconds: 0.5, Core: 1, Out: "loop.md"},
		"-only loop -splice":      {Reps: 7, Seconds: 0.5, Core: 1, Out: "RESULTS.md", Splice: true},
		"-core 0 -seconds 2 -o X": {Reps: 7, Seconds: 2, Out: "X"},
	} {
		got, err := parse(strings.Fields(args), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		got.Only = nil
		if *got != want {
			t.Errorf("%q: %+v, want %+v", args, *got, want)
		}
	}
	for _, args := range []string{"loop", "-reps 0", "-seconds -1", "-only ("} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// TestTargetsAreOfRows: a row or case that a target names is there.
func TestTargetsAreOfRows(t *testing.T) {
	t.Parallel()
	one := 1.0
	full := &Results{}
	for _, suite := range suites() {
		if strings.TrimSpace(suite.text()) == "" || strings.Contains(suite.text(), "file does not exist") {
			t.Errorf("suite %s has no text", suite.Name)
		}
		d := &Done{Suite: suite, Cells: map[cellKey]*Cell{}}
		for _, row := range suite.Rows {
			for _, c := range suite.Cases {
				cell := &Cell{NS: Sample{one}, Allocs: Sample{one}, Extra: map[string]Sample{}}
				for _, extra := range suite.Extra {
					cell.Extra[extra.Key] = Sample{one}
				}
				d.Cells[cellKey{row.Label, c.Name}] = cell
			}
		}
		full.Suites = append(full.Suites, d)
	}
	for i := range targets {
		if _, err := targets[i].Of(full); err != nil {
			t.Errorf("%s: %v", targets[i].What, err)
		}
	}
	for _, c := range summaryColumns {
		if _, err := c.cell(full, ours); err != nil {
			t.Errorf("summary, %s: %v", c.title, err)
		}
	}
	for _, who := range summaryRows {
		if !slices.ContainsFunc(summaryColumns, func(c column) bool { _, err := c.cell(full, who); return err == nil }) {
			t.Errorf("summary: nothing is measured of %s", who)
		}
	}
	for _, suite := range suites() {
		for _, row := range suite.Rows {
			if programs[row.Peer] == nil {
				t.Errorf("suite %s, %s: there is no program of the peer %q", suite.Name, row.Label, row.Peer)
			}
		}
	}
}

// TestTheReadme: the table in the project's README.md consists of rows of the summary of RESULTS.md.
func TestTheReadme(t *testing.T) {
	t.Parallel()
	results, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(results), summaryHead)
	summary, _, ended := strings.Cut(rest, "\n## ")
	if !found || !ended {
		t.Fatal("RESULTS.md has no summary")
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(readme), "\n## How it compares\n")
	section, _, ended = strings.Cut(section, "\n## ")
	if !found || !ended {
		t.Fatal("README.md has no section about how agenthost compares")
	}
	var rows []string
	for line := range strings.Lines(section) {
		if row := strings.TrimSpace(line); strings.HasPrefix(row, "|") {
			rows = append(rows, row)
		}
	}
	shown := strings.Split(strings.TrimSpace(summary), "\n")
	if len(rows) < 4 || !slices.Equal(rows[:3], shown[:3]) {
		t.Errorf("the table of README.md does not begin as that of RESULTS.md:\n%s", strings.Join(shown[:3], "\n"))
	}
	for _, row := range rows {
		if !slices.Contains(shown, row) {
			t.Errorf("RESULTS.md does not have the row of README.md:\n%s", row)
		}
	}
}
