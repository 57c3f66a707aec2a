package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Target is a limit for one of agenthost's numbers.
type Target struct {
	What   string
	Limit  float64
	Least  bool // the number must be at least the limit, not at most
	Format func(float64) string
	Of     func(r *Results) (float64, error)
	Why    string // why the target is missed, if it is
}

// errNotMeasured: the suite was not performed, or the cell is empty.
var errNotMeasured = errors.New("not measured")

// cell returns a sample's median in the results.
func (r *Results) median(suite, row, name string, of func(*Cell) Sample) (float64, error) {
	for _, d := range r.Suites {
		if d.Name != suite {
			continue
		}
		if cell := d.cell(row, name); cell != nil && cell.Failed == "" && len(of(cell)) > 0 {
			return of(cell).median(), nil
		}
	}
	return 0, fmt.Errorf("%w: %s %s, %s", errNotMeasured, suite, name, row)
}

func nanoseconds(c *Cell) Sample { return c.NS }

func allocations(c *Cell) Sample { return c.Allocs }

func extra(key string) func(*Cell) Sample { return func(c *Cell) Sample { return c.Extra[key] } }

// value returns a function that reads one number.
func value(suite, row, name string, of func(*Cell) Sample) func(*Results) (float64, error) {
	return func(r *Results) (float64, error) { return r.median(suite, row, name, of) }
}

// quotient returns a function that divides one number by another.
func quotient(over, under func(*Results) (float64, error)) func(*Results) (float64, error) {
	return func(r *Results) (float64, error) {
		a, err := over(r)
		if err != nil {
			return 0, err
		}
		b, err := under(r)
		return a / b, err
	}
}

// guest returns a function that reads one of agenthost's own benchmarks.
func guest(title string) func(*Results) (float64, error) {
	return value("guest", title, "value", nanoseconds)
}

// slower returns how many times as long a row takes as agenthost's first.
func slower(suite, name, row, ours string) func(*Results) (float64, error) {
	return quotient(value(suite, row, name, nanoseconds), value(suite, ours, name, nanoseconds))
}

func (t *Target) met(value float64) bool {
	if t.Least {
		return value >= t.Limit
	}
	return value <= t.Limit
}

func (t *Target) limit() string {
	if t.Least {
		return "≥ " + t.Format(t.Limit)
	}
	return "≤ " + t.Format(t.Limit)
}

// A judgement is the line of a target in the report.
type judgement struct {
	target *Target
	line   string
	missed bool
}

// missedMark is in the line of a target that is missed.
const missedMark = "**missed** by "

// writeTargets prints the targets whose suites were performed.
func (r *Results) writeTargets(w io.Writer) {
	var judged []judgement
	for i := range targets {
		t := &targets[i]
		value, err := t.Of(r)
		if err != nil {
			continue
		}
		word := "met"
		if !t.met(value) {
			word = missedMark + percent(max(value, t.Limit)/min(value, t.Limit)-1)
		}
		judged = append(judged, judgement{t, fmt.Sprintf("| %s | %s | %s | %s |", t.What, t.limit(), t.Format(value), word), !t.met(value)})
	}
	writeJudgements(w, judged)
}

func writeJudgements(w io.Writer, judged []judgement) {
	var lines, reasons []string
	missed := map[string][]string{} // by reason
	for _, j := range judged {
		lines = append(lines, j.line)
		if !j.missed {
			continue
		}
		if why := j.target.Why; why != "" && missed[why] == nil {
			reasons = append(reasons, why)
		}
		missed[j.target.Why] = append(missed[j.target.Why], j.target.What)
	}
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "## Targets\n\n| | target | measured | |\n|---|--:|--:|---|\n%s\n\n", strings.Join(lines, "\n"))
	if len(reasons) > 0 {
		fmt.Fprint(w, "Why those that are missed are where they are:\n\n")
		for _, reason := range reasons {
			fmt.Fprintf(w, "* %s: %s\n", strings.Join(missed[reason], "; "), reason)
		}
		fmt.Fprintln(w)
	}
}
