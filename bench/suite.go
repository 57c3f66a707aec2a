package main

import (
	"context"
	"embed"
	"strings"
)

// A Suite is one question that is put to several peers.
type Suite struct {
	Name  string
	Title string
	Unit  string // that a measurement's nanoseconds are of
	Cases []Case
	Rows  []Row
	Extra []Extra
	Free  bool // not pinned on one core
	Lone  bool // its rows are not multiples of the first

	// Measure performs a case once, other than by the peer's program.
	Measure func(ctx context.Context, o *Options, row Row, c Case) (*Measurement, error)
}

// A Case is a column of a suite's table.
type Case struct{ Name, Title string }

// A Row is who is asked: a peer, or one of the things that a peer measures. The first row of a suite is agenthost; what the others
// take is said as a multiple of it.
type Row struct {
	Label  string
	Peer   string               // its directory in peers/
	Flavor string               // in the peer: it gets FLAVOR:CASE
	Args   []string             // for Measure
	Only   string               // the one case that the row has, all if empty
	Format func(float64) string // of the measured, nil if it is nanoseconds
}

// argument is how the peer calls the case.
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

// suites are all of them, in the order of the report.
func suites() []*Suite {
	return []*Suite{hooksSuite(), loopSuite(), checkpointSuite(), startSuite(), crowdSuite(), guestSuite()}
}

//go:embed texts
var texts embed.FS

// text says what is measured, and what is unfair in it, in whose favour; Markdown.
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
