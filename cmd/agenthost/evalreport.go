package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/agenthost/agenthost/cases/evaluate"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// writeReports writes the report as JSON and as a page.
func writeReports(dir string, s *evaluate.Summary) error {
	var document bytes.Buffer
	if err := terminal.PrintDocument(&document, s); err != nil {
		return err
	}
	page, err := evalPage(s)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, "report.json"), document.Bytes(), 0o600); err != nil { // conversations are private
		return err
	}
	return atomicfile.Write(filepath.Join(dir, "report.html"), page, 0o600)
}

func percent(rate float64) string { return fmt.Sprintf("%.0f %%", 100*rate) }

func interval(r evaluate.Rate) string {
	return fmt.Sprintf("%d/%d  %s (%.0f–%.0f %%)", r.Hits, r.Of, percent(r.Rate), 100*r.Lower, 100*r.Upper)
}

func short(d time.Duration) string { return d.Round(time.Millisecond).String() }

func score(s *float64) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *s)
}

// change says how a row differs from the one of the evaluation before.
func change(row evaluate.Row, before []evaluate.Row) string {
	for i := range before {
		was := &before[i]
		if was.Variant != row.Variant || was.Case != row.Case {
			continue
		}
		said := "within the intervals"
		if row.Passed.Differs(was.Passed) {
			said = "more than the intervals explain"
		}
		return fmt.Sprintf("%+.0f points since the last evaluation, %s", 100*(row.Passed.Rate-was.Passed.Rate), said)
	}
	return ""
}

// describeSummary returns the tables for a terminal.
func describeSummary(s *evaluate.Summary, dir string) string {
	var b strings.Builder
	width := len("all cases")
	for i := range s.Cases {
		width = max(width, len(s.Cases[i].Case))
	}
	two := len(s.Total) > 1
	line := func(row *evaluate.Row, name string) {
		if two {
			name = fmt.Sprintf("%-*s  %-7s", width, name, row.Variant)
		}
		fmt.Fprintf(&b, "%-*s  %-26s  median %-8s 95 %% %-8s %d tokens",
			width, text.Clean(name), interval(row.Passed), short(row.Median), short(row.Slow), row.Usage.TotalTokens)
		if costs := row.Costs(); costs != "" {
			fmt.Fprintf(&b, "  cost %s", costs)
		}
		if row.Score != nil {
			fmt.Fprintf(&b, "  score %s", score(row.Score))
		}
		if row.Errors > 0 {
			fmt.Fprintf(&b, "  %s", counted(row.Errors, "error"))
		}
		b.WriteByte('\n')
	}
	for i := range s.Cases {
		line(&s.Cases[i], s.Cases[i].Case)
		for _, why := range s.Cases[i].Why {
			fmt.Fprintf(&b, "  %s\n", terminal.Line(why))
		}
	}
	for i := range s.Total {
		line(&s.Total[i], "all cases")
		if said := change(s.Total[i], s.Before); said != "" {
			fmt.Fprintf(&b, "  %s\n", said)
		}
	}
	if p := s.Pairs; p != nil {
		fmt.Fprintf(&b, "the judge prefers own %s, against %s, neither %d\n", interval(p.Own), interval(p.Against), p.Ties)
	}
	fmt.Fprintf(&b, "report: %s\n", filepath.Join(dir, "report.html"))
	return b.String()
}
