package main

import (
	"context"
	"embed"
	"strings"
)

// A Suite is one question that several peers answer.
type Suite struct {
	Name  string
	Title string
	Unit  string // of work, to which a measurement's nanoseconds refer
	Cases []Case
	Rows  []Row
	Extra []Extra
	Free  bool // not pinned to one core
	Lone  bool // rows are not shown as multiples of the first
	Reps  int  // measurements per cell at most; 0: as many as -reps says

	// Measure performs a case once, if the peer's program does not.
	Measure func(ctx context.Context, o *Options, row Row, c Case) (*Measurement, error)
}

// reps returns how often each cell is measured.
func (s *Suite) reps(o *Options) int {
	if s.Reps > 0 {
		return min(s.Reps, o.Reps)
	}
	return o.Reps
}

// A Case is a column of a suite's table.
type Case struct{ Name, Title string }

// A Row is a peer, or one of the variants that a peer measures. The first row of a suite is agenthost; the others are shown as
// multiples of it.
type Row struct {
	Label  string
	Peer   string               // its directory in peers/
	Flavor string               // in the peer: it gets FLAVOR:CASE
	Args   []string             // for Measure
	Only   string               // the one case that the row has, all if empty
	Format func(float64) string // formats the measured number; nil: nanoseconds
}

// argument returns the peer's name of the case.
func (r Row) argument(c Case) string {
	if r.Flavor == "" {
		return c.Name
	}
	return r.Flavor + ":" + c.Name
}

// An Extra is another number that a measurement has.
type Extra struct {
	Key    string
	Title  string
	Format func(float64) string
}

// suites lists all suites in the order of the report.
func suites() []*Suite {
	return []*Suite{
		hooksSuite(), loopSuite(), checkpointSuite(), togetherSuite(), startSuite(), crowdSuite(), serverSuite(), doorsSuite(), tokenSuite(), idleSuite(),
		guestSuite(), studioSuite(),
	}
}

//go:embed texts
var texts embed.FS

// text returns a description in Markdown: what is measured, what is unfair, and in whose favour.
func (s *Suite) text() string {
	text, err := texts.ReadFile("texts/" + s.Name + ".md")
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

func suiteNames() string {
	var names strings.Builder
	for _, s := range suites() {
		names.WriteString(" " + s.Name)
	}
	return strings.TrimSpace(names.String())
}
