package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSplice puts one suite into the committed report.
func TestSplice(t *testing.T) {
	t.Parallel()
	before, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "RESULTS.md")
	if err := os.WriteFile(file, before, 0o600); err != nil {
		t.Fatal(err)
	}
	r := &Results{Options: &Options{}, Machine: "another machine", Suites: []*Done{done(t)}}
	texts := make([]string, 2)
	for n := range texts {
		if err := r.splice(file); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[n] = string(text)
	}
	if texts[0] != texts[1] {
		t.Error("the second time makes a difference")
	}
	earlier, now := readReport(string(before)), readReport(texts[0])
	if len(now.sections) != len(earlier.sections) {
		t.Errorf("it has %d sections, and had %d", len(now.sections), len(earlier.sections))
	}
	for name, text := range earlier.sections {
		if same := now.sections[name] == text; same == (name == "loop" || name == inShort || name == targetsTitle) {
			t.Errorf("the section %q is the same: %v", name, same)
		}
	}
	titles, rows := readTable(now.sections[inShort])
	oldTitles, oldRows := readTable(earlier.sections[inShort])
	if strings.Join(titles, ",") != strings.Join(oldTitles, ",") || rows[ours]["a round"] != "2.00 µs" || rows["LangChain Python"]["a round"] != "250×" ||
		rows[ours]["a hook, 1 KB"] != oldRows[ours]["a hook, 1 KB"] {
		t.Errorf("the summary is\n%s", now.sections[inShort])
	}
	for _, want := range []string{"* agenthost: 1.0\n", "\n| round, plain | ≤ 5.00 µs | 2.00 µs | met |\n", "\n| agenthost | 2.00 µs |\n"} {
		if !strings.Contains(texts[0], want) {
			t.Errorf("no %q in\n%s", want, texts[0])
		}
	}
	if strings.Contains(texts[0], "another machine") {
		t.Error("it names the machine of one suite for all")
	}
	if err := r.splice(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file is not an error")
	}
}

// TestSpliceOfNothing keeps the report as it is.
func TestSpliceOfNothing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	same, err := spliced(readReport(string(text)), readReport(""))
	if err != nil {
		t.Fatal(err)
	}
	lines := func(text string) []string { // but those with reasons, which are written again
		return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "* ") })
	}
	if !slices.Equal(lines(same), lines(string(text))) {
		t.Errorf("it changed to\n%s", same)
	}
	if _, err := spliced(readReport("# Another page\n"), readReport("")); err == nil {
		t.Error("another page is not an error")
	}
}
