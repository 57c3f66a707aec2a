package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/cases/perform"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/eventdoc"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/cassette"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/terminal"
)

// caseRecord is what the command prints about a case.
type caseRecord struct {
	Case        string           `json:"case"` // its file
	Description string           `json:"description,omitempty"`
	OK          bool             `json:"ok"`
	Updated     bool             `json:"updated,omitempty"`
	Recorded    int              `json:"recorded,omitempty"` // exchanges in the new cassette
	Duration    time.Duration    `json:"duration"`           // nanoseconds, as in events
	Used        cases.Used       `json:"used"`
	Differences []caseDifference `json:"differences,omitempty"`
	Events      string           `json:"events,omitempty"` // the file with the events
}

// caseDifference is a difference, or why a case could not be performed.
type caseDifference struct {
	Turn int    `json:"turn,omitempty"` // from 1; 0: it concerns the case as a whole
	Key  string `json:"key,omitempty"`
	Text string `json:"text"`
}

// note notes what came of a case.
func (r *caseRecord) note(report *perform.Report) {
	for i := range report.Turns {
		turn := &report.Turns[i]
		for _, d := range turn.Differences {
			r.Differences = append(r.Differences, caseDifference{Turn: i + 1, Key: d.Key, Text: d.Text})
		}
		r.Used = r.Used.Add(turn.Outcome.Used)
	}
}

// mismatches returns the differences that no update can write: they concern the case itself.
func (r *caseRecord) mismatches() (out []caseDifference) {
	for _, d := range r.Differences {
		if d.Key == "cassette" || d.Key == "tools" {
			out = append(out, d)
		}
	}
	return out
}

// lines returns the differences for people.
func (r *caseRecord) lines() []string {
	several := false
	for _, d := range r.Differences {
		several = several || d.Turn > 1
	}
	out := make([]string, 0, len(r.Differences)+1)
	for _, d := range r.Differences {
		text := strings.ReplaceAll(d.Text, "\n", "\n  ")
		if several && d.Turn > 0 {
			text = fmt.Sprintf("turn %d: %s", d.Turn, text)
		}
		out = append(out, text)
	}
	if r.Events != "" && !r.OK {
		out = append(out, "to see the run: agenthost studio "+r.Events)
	}
	return out
}

// heading returns the first line about the case.
func (r *caseRecord) heading() string {
	outcome := "ok"
	switch {
	case !r.OK:
		outcome = "FAILED"
	case r.Updated:
		outcome = "updated"
	case r.Recorded > 0:
		outcome = "recorded " + counted(r.Recorded, "exchange")
	}
	return fmt.Sprintf("%s: %s (%s, %v)", r.Case, outcome, counted(r.Used.ModelCalls, "model call"), r.Duration.Round(time.Millisecond))
}

// done prints the results of the cases that are done, up to the first one that is not.
func (t *testRun) done(at int, record *caseRecord) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.records[at] = record
	t.clearProgress()
	for ; t.printed < len(t.records) && t.records[t.printed] != nil; t.printed++ {
		if err := t.print(t.records[t.printed]); err != nil {
			return err
		}
	}
	t.showProgress()
	return nil
}

func (t *testRun) print(r *caseRecord) error {
	if t.flags.json {
		return terminal.PrintLine(t.out, r)
	}
	_, err := fmt.Fprintln(t.out, terminal.List(r.heading(), r.lines()))
	return err
}

// showProgress shows at a terminal how many cases are done.
func (t *testRun) showProgress() {
	done := 0
	for _, record := range t.records {
		if record != nil {
			done++
		}
	}
	if t.watched && done < len(t.records) {
		fmt.Fprintf(t.err, "· %d of %d", done, len(t.records))
	}
}

// clearProgress removes the line of the progress.
func (t *testRun) clearProgress() {
	if t.watched {
		fmt.Fprint(t.err, "\r\x1b[K")
	}
}

func (t *testRun) endProgress() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearProgress()
}

// summary prints the totals, writes the report, and returns the error with the exit code.
func (t *testRun) summary() error {
	failed, updated := 0, 0
	for _, r := range t.records {
		if !r.OK {
			failed++
		}
		if r.Updated {
			updated++
		}
	}
	if !t.flags.json {
		more := ""
		if t.flags.update {
			more = fmt.Sprintf(", %d updated", updated)
		}
		fmt.Fprintf(t.out, "%s, %d failed%s\n", counted(len(t.records), "case"), failed, more)
	}
	if t.flags.junit != "" {
		if err := writeJUnit(t.flags.junit, t.records); err != nil {
			return &exitError{exitFailed, fmt.Errorf("--junit: %w; name another file", err)}
		}
	}
	if failed > 0 {
		return &exitError{exitFailed, nil}
	}
	return nil
}

// caseEvents collects the events of a case as lines.
type caseEvents struct {
	lines []byte
	begun bool
}

func (e *caseEvents) add(_ int, event host.Event) error {
	line := eventdoc.Line{Event: event}
	if !e.begun {
		line.Version, e.begun = eventdoc.Version, true
	}
	text, err := json.Marshal(line)
	e.lines = append(append(e.lines, text...), '\n')
	return err
}

// eventsName returns the name of the file for the events of a case: its path in one word.
func eventsName(path string) string {
	name := strings.Replace(filepath.ToSlash(filepath.Clean(path)), ".yaml", "", 1)
	name = strings.NewReplacer("../", "", "/tests/", "-", "/", "-", "#", "-").Replace(name)
	return strings.Trim(name, "-.") + ".jsonl"
}

// writeCassette writes a cassette, which only the user can read until it is committed.
func writeCassette(path string, c *cassette.Cassette) error {
	var text bytes.Buffer
	if err := c.Write(&text); err != nil {
		return err
	}
	if err := atomicfile.Write(path, text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("the cassette cannot be written: %w", err)
	}
	return nil
}
