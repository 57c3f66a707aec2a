package live

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/agenthost/agenthost/internal/terminal"
)

// Draw writes a sample for people: rates a second, and the hooks that took the most time.
func Draw(w io.Writer, s *Sample, hooks int) error {
	rate := func(n float64) float64 { return n / max(s.Seconds, 1e-9) }
	_, err := fmt.Fprintf(w, "runs    %.0f active, %.1f ended a second, %.0f failed\nsteps   %.1f model calls and %.1f tool calls a second\n"+
		"tokens  %.0f in and %.0f out a second\n\n",
		s.Active, rate(s.Ended), s.Failed, rate(s.Models), rate(s.Tools), rate(s.InputTokens), rate(s.OutputTokens))
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MIDDLEWARE\tHOOK\tCALLS/S\tTIME/CALL\tTIME\tFUEL/CALL\tFAULTS")
	for i := range s.Hooks[:min(hooks, len(s.Hooks))] {
		h := &s.Hooks[i]
		each := max(h.Calls, 1)
		fmt.Fprintf(table, "%s\t%s\t%.1f\t%v\t%.1f%%\t%.0f\t%.0f\n", terminal.Line(h.Middleware), terminal.Line(h.Hook), rate(h.Calls),
			time.Duration(h.Seconds/each*float64(time.Second)).Round(time.Microsecond), 100*rate(h.Seconds), h.Fuel/each, h.Faults)
	}
	return table.Flush()
}
