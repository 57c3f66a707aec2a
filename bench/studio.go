package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A figure is a number that a test of the studio reports as an attribute.
type figure struct {
	title  string
	key    string // of the attribute; times are in nanoseconds
	format func(float64) string
}

// The figures that targets are about.
const (
	firstView     = "first view without a cache, until it is painted, median of 9"
	pageSize      = "size of the page, compressed"
	chatFrame     = "from frame to frame while 10,000 events scroll: chat"
	timelineFrame = "from frame to frame while 10,000 events scroll: timeline"
	historyFrame  = "from frame to frame while 10,000 events scroll: history"
)

var figures = []figure{
	{firstView, "first_view", duration},
	{pageSize, "page_bytes", size},
	{chatFrame, "Chat_frame", duration},
	{timelineFrame, "Timeline_frame", duration},
	{historyFrame, "History_frame", duration},
	{"95 % of these frames follow after at most: chat", "Chat_p95", duration},
	{"95 % of these frames follow after at most: timeline", "Timeline_p95", duration},
	{"95 % of these frames follow after at most: history", "History_p95", duration},
	{"work of the page for a frame: chat", "Chat_work", duration},
	{"work of the page for a frame: timeline", "Timeline_work", duration},
	{"work of the page for a frame: history", "History_work", duration},
}

// studioReps is how often the studio is measured. Once takes half a minute, in which the browser shows hundreds of frames.
const studioReps = 3

func studioSuite() *Suite {
	tests := &studioTests{}
	s := &Suite{
		Name: "studio", Title: "the page of agenthost serve and agenthost studio in a browser", Unit: "value",
		Cases: []Case{{"value", "measured"}}, Lone: true, Reps: studioReps, Measure: tests.measure,
	}
	for _, f := range figures {
		s.Rows = append(s.Rows, Row{Label: f.title, Peer: "agenthost", Format: f.format})
	}
	return s
}

// studioTests runs the tests of the studio that measure it.
type studioTests struct {
	last   map[string]float64 // what the last run reported and nobody has read, by key
	failed error              // of a run; there is none after it
}

// measure returns a figure of the last run, or of a new one if the figure has been read.
func (s *studioTests) measure(ctx context.Context, _ *Options, row Row, _ Case) (*Measurement, error) {
	i := slices.IndexFunc(figures, func(f figure) bool { return f.title == row.Label })
	key := figures[i].key
	if _, found := s.last[key]; !found && s.failed == nil {
		s.last, s.failed = s.perform(ctx)
	}
	if s.failed != nil {
		return nil, s.failed
	}
	value, found := s.last[key]
	if !found {
		return nil, fmt.Errorf("no test of the studio reported %s", key)
	}
	delete(s.last, key)
	return &Measurement{NS: value, Check: key}, nil
}

// perform runs the tests and returns what they report.
func (*studioTests) perform(ctx context.Context) (map[string]float64, error) {
	if !slices.ContainsFunc([]string{"chromium", "chromium-browser", "google-chrome"}, func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	}) {
		return nil, absentError("there is no Chromium")
	}
	// The value is not 1, with which the tests fail if a number is beyond its limit.
	out, err := output(ctx, "..", 10*time.Minute, "env", "AGENTHOST_UI=measure", "go", "test", "-count=1", "-p=1", "-parallel=1", "-v",
		"-run", "^Test(ThePageIsSmall|TheFirstView|AFileWithManyEvents)$", "./studio", "./test/studio")
	return readAttributes(string(out)), err
}

// readAttributes finds the attributes of tests that are numbers in the output of go test -v.
func readAttributes(out string) map[string]float64 {
	found := map[string]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line) // === ATTR  TestName key value
		if len(fields) != 5 || fields[0] != "===" || fields[1] != "ATTR" {
			continue
		}
		if value, err := strconv.ParseFloat(fields[4], 64); err == nil {
			found[fields[3]] = value
		}
	}
	return found
}
