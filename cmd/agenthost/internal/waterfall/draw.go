package waterfall

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// Draw writes bars as lines of about width characters.
func Draw(w io.Writer, bars []Bar, width int) error {
	if len(bars) == 0 {
		return nil
	}
	first, last, names := bars[0].Begin, bars[0].end(), 0
	for i := range bars {
		if end := bars[i].end(); end.After(last) {
			last = end
		}
		names = max(names, uniseg.StringWidth(label(&bars[i])))
	}
	const times, notes = 10, 28
	names = min(names, 40)
	s := scale{first: first, all: max(last.Sub(first), 1), columns: max(10, width-names-times-notes)}
	for i := range bars {
		b := &bars[i]
		name := text.Cut(label(b), names)
		line := fmt.Sprintf("%s%s %s %9s %s", name, strings.Repeat(" ", max(0, names-uniseg.StringWidth(name))), s.line(b), round(b.Took), note(b))
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

func label(b *Bar) string { return strings.Repeat("  ", b.Depth) + terminal.Line(b.Name) }

// scale maps times to columns.
type scale struct {
	first   time.Time
	all     time.Duration
	columns int
}

func (s scale) line(b *Bar) string {
	at := func(t time.Time) int { return int(float64(s.columns) * float64(t.Sub(s.first)) / float64(s.all)) }
	from := min(at(b.Begin), s.columns-1)
	to := min(max(at(b.end()), from+1), s.columns)
	return strings.Repeat("·", from) + strings.Repeat("█", to-from) + strings.Repeat("·", s.columns-to)
}

// round returns a duration with three digits.
func round(d time.Duration) string {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

func note(b *Bar) string {
	var out []string
	if b.Tokens != nil {
		out = append(out, fmt.Sprintf("%d → %d tokens", b.Tokens.InputTokens, b.Tokens.OutputTokens))
	}
	if b.Fuel > 0 {
		out = append(out, fmt.Sprintf("%d fuel", b.Fuel))
	}
	if b.Cost != nil {
		out = append(out, "cost "+b.Cost.String())
	}
	if b.Status != "" {
		out = append(out, string(b.Status))
	}
	if b.Asks > 0 {
		out = append(out, "asks")
	}
	if b.Error != "" {
		out = append(out, "failed: "+terminal.Line(text.Cut(b.Error, 60)))
	}
	return strings.Join(out, ", ")
}
