package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// Done is a suite with its results.
type Done struct {
	*Suite

	Options *Options
	Peers   map[string]*Peer
	Cells   map[cellKey]*Cell
}

type cellKey struct{ row, name string }

// A Cell is one row's samples of one case.
type Cell struct {
	NS, Allocs, Bytes Sample
	Extra             map[string]Sample
	Check             string
	Absent            string // why the peer does not have the case
	Failed            string // what went wrong
}

// add adds a measurement.
func (c *Cell) add(m *Measurement) error {
	if c.Check != "" && c.Check != m.Check {
		return fmt.Errorf("it did %q, and before %q", m.Check, c.Check)
	}
	c.Check = m.Check
	c.NS = append(c.NS, m.NS)
	if m.Allocs != nil {
		c.Allocs = append(c.Allocs, *m.Allocs)
	}
	if m.Bytes != nil {
		c.Bytes = append(c.Bytes, *m.Bytes)
	}
	if c.Extra == nil {
		c.Extra = map[string]Sample{}
	}
	for key, value := range m.Extra {
		c.Extra[key] = append(c.Extra[key], value)
	}
	return nil
}

// perform builds the peers of a suite and measures all cells in turns.
func perform(ctx context.Context, o *Options, suite *Suite) (*Done, error) {
	done := &Done{Suite: suite, Options: o, Peers: map[string]*Peer{}, Cells: map[cellKey]*Cell{}}
	for _, row := range suite.Rows {
		if done.Peers[row.Peer] != nil {
			continue
		}
		peer := &Peer{Name: row.Peer}
		done.Peers[row.Peer] = peer
		sayf("%s: building %s", suite.Name, row.Peer)
		if err := peer.build(ctx); err != nil {
			return nil, err
		}
	}
	for _, c := range suite.Cases {
		for rep := range suite.reps(o) {
			for _, row := range suite.Rows {
				if err := done.measure(ctx, o, row, c, rep); err != nil {
					return nil, err
				}
			}
		}
		done.compare(c)
	}
	return done, nil
}

// measure performs a case once for a row. A failure is recorded in the cell, and the row is not measured again.
func (d *Done) measure(ctx context.Context, o *Options, row Row, c Case, rep int) error {
	if row.Only != "" && row.Only != c.Name {
		return nil
	}
	cell := d.cell(row.Label, c.Name)
	if cell == nil {
		cell = &Cell{}
		d.Cells[cellKey{row.Label, c.Name}] = cell
	}
	peer := d.Peers[row.Peer]
	if cell.Absent = max(cell.Absent, peer.Absent); cell.Absent != "" || cell.Failed != "" {
		return nil
	}
	start := time.Now()
	m, err := d.once(ctx, o, peer, row, c)
	if err == nil {
		err = cell.add(m)
	}
	var absent absentError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &absent):
		cell.Absent = absent.Error()
		sayf("%s %s, %s: left out: %s", d.Name, c.Name, row.Label, absent)
	case err != nil:
		cell.Failed = err.Error()
		sayf("%s %s, %s: FAILED: %s", d.Name, c.Name, row.Label, err)
	default:
		sayf("%s %s %d/%d, %s: %s a %s (%.1f s)", d.Name, c.Name, rep+1, d.reps(o), row.Label, duration(m.NS), d.Unit, time.Since(start).Seconds())
	}
	return nil
}

func (d *Done) once(ctx context.Context, o *Options, peer *Peer, row Row, c Case) (*Measurement, error) {
	if d.Measure != nil {
		return d.Measure(ctx, o, row, c)
	}
	return peer.measure(ctx, o, d.Suite, row.argument(c))
}

func (d *Done) cell(row, name string) *Cell { return d.Cells[cellKey{row, name}] }

// compare fails the cells of a case whose work differs from that of the first row.
func (d *Done) compare(c Case) {
	if d.Lone {
		return
	}
	want := ""
	for _, row := range d.Rows {
		cell := d.cell(row.Label, c.Name)
		if cell == nil || cell.Check == "" {
			continue
		}
		if want == "" {
			want = cell.Check
		}
		if cell.Check != want {
			cell.Failed = fmt.Sprintf("it did %q, where %s did %q", cell.Check, d.Rows[0].Label, want)
			sayf("%s %s, %s: FAILED: %s", d.Name, c.Name, row.Label, cell.Failed)
		}
	}
}

// failures returns the failures, one per line.
func (d *Done) failures() []string {
	var out []string
	for _, row := range d.Rows {
		for _, c := range d.Cases {
			if cell := d.cell(row.Label, c.Name); cell != nil && cell.Failed != "" {
				out = append(out, fmt.Sprintf("%s %s, %s: %s", d.Name, c.Name, row.Label, cell.Failed))
			}
		}
	}
	return out
}

// failure returns an error if any measurement failed.
func (r *Results) failure() error {
	var all []string
	for _, d := range r.Suites {
		all = append(all, d.failures()...)
	}
	if len(all) == 0 {
		return nil
	}
	return errors.New("measurements failed:\n  " + strings.Join(all, "\n  "))
}

// sayf reports progress.
func sayf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
