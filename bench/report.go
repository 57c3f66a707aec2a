package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Results holds all measurements.
type Results struct {
	Options *Options
	Machine string
	Suites  []*Done
}

// save writes the report completely or not at all.
func (r *Results) save(file string) error {
	temporary, err := os.CreateTemp(filepath.Dir(file), ".results-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	r.write(temporary)
	if err := temporary.Chmod(0o644); err != nil {
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}

func (r *Results) write(w io.Writer) {
	fmt.Fprintf(w, "# What was measured\n\nWritten by `make bench-peers` (the directory `bench`; `go run . -h`): do not edit. %s.\n\n", r.Machine)
	fmt.Fprintf(w, "Each number is the median of %d measurements of about %g s, each in a process of its own, on one core "+
		"(but *crowd*, *server*, *token*, *idle* and *studio*), "+
		"in turns with those of the others in its column. In parentheses: how many times as much as the first row. ± is half of how far "+
		"the middle half of the measurements lies apart, where it is more than 10 %% of the median. The absolute times are of this machine, "+
		"and of what else it did; the ratios are what lasts.\n\n", r.Options.Reps, r.Options.Seconds)
	fmt.Fprint(w, "What the peers are:\n\n")
	for _, p := range r.peers() {
		if p.Absent != "" {
			fmt.Fprintf(w, "* %s is absent: %s\n", p.Name, oneLine(p.Absent))
		} else {
			fmt.Fprintf(w, "* %s: %s\n", p.Name, p.Versions)
		}
	}
	fmt.Fprint(w, "\nWhat runs on Temporal cost, what becomes of them when workers are killed, and whether they meet their targets, is in "+
		"[engine/temporal/RESULTS.md](../engine/temporal/RESULTS.md), which `make bench-fleet` writes.\n\n")
	r.writeSummary(w)
	r.writeTargets(w)
	for _, d := range r.Suites {
		d.write(w)
	}
}

// peers returns all peers by name.
func (r *Results) peers() []*Peer {
	byName := map[string]*Peer{}
	for _, d := range r.Suites {
		maps.Copy(byName, d.Peers)
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b *Peer) int { return strings.Compare(a.Name, b.Name) })
}

// write prints a suite: its text, its tables, and notes on empty cells.
func (d *Done) write(w io.Writer) {
	fmt.Fprintf(w, "## %s: %s\n\n%s\n\n", d.Name, d.Title, d.text())
	if n := d.reps(d.Options); n != d.Options.Reps {
		fmt.Fprintf(w, "Each number is the median of %d measurements.\n\n", n)
	}
	d.table(w, "a "+d.Unit, func(c *Cell) Sample { return c.NS }, duration)
	for _, extra := range d.Extra {
		d.table(w, extra.Title, func(c *Cell) Sample { return c.Extra[extra.Key] }, extra.Format)
	}
	d.table(w, "allocations a "+d.Unit, func(c *Cell) Sample { return c.Allocs }, digits)
	d.table(w, "allocated a "+d.Unit, func(c *Cell) Sample { return c.Bytes }, size)
	for _, line := range d.notes() {
		fmt.Fprintf(w, "* %s\n", line)
	}
	fmt.Fprintln(w)
}

// table prints one number of all cells, if any cell has it.
func (d *Done) table(w io.Writer, title string, of func(*Cell) Sample, format func(float64) string) {
	var lines []string
	for _, row := range d.Rows {
		if line, ok := d.line(row, of, format); ok {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "| %s |", title)
	for _, c := range d.Cases {
		fmt.Fprintf(w, " %s |", c.Title)
	}
	fmt.Fprintf(w, "\n|---|%s\n%s\n\n", strings.Repeat("--:|", len(d.Cases)), strings.Join(lines, "\n"))
}

// line returns a row of a table; false if the row is empty.
func (d *Done) line(row Row, of func(*Cell) Sample, format func(float64) string) (line string, ok bool) {
	if row.Format != nil {
		format = row.Format
	}
	words := []string{"| " + row.Label}
	for _, c := range d.Cases {
		cell := d.cell(row.Label, c.Name)
		if cell == nil || len(of(cell)) == 0 || cell.Failed != "" {
			words = append(words, "–")
			continue
		}
		words, ok = append(words, d.number(of(cell), d.base(c, of), format)), true
	}
	return strings.Join(words, " | ") + " |", ok
}

// base returns the value of the first row.
func (d *Done) base(c Case, of func(*Cell) Sample) float64 {
	if first := d.cell(d.Rows[0].Label, c.Name); first != nil && !d.Lone {
		return of(first).median()
	}
	return 0
}

func (d *Done) number(s Sample, base float64, format func(float64) string) string {
	text := format(s.median())
	if half := s.spread() / 2; half > 0.1 {
		text += " ± " + percent(half)
	}
	if base > 0 && s.median() != base {
		text += " (" + times(s.median()/base) + ")"
	}
	return text
}

// notes explain empty cells.
func (d *Done) notes() []string {
	var out []string
	for _, row := range d.Rows {
		for _, c := range d.Cases {
			cell := d.cell(row.Label, c.Name)
			if cell == nil || cell.Absent == "" {
				continue
			}
			if note := fmt.Sprintf("%s, %s: %s", row.Label, c.Title, oneLine(cell.Absent)); !slices.Contains(out, note) {
				out = append(out, note)
			}
		}
	}
	return append(out, d.failures()...)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
