package certify

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// Outcome is the outcome of one check.
type Outcome struct {
	ID      string   `json:"id"`
	Section int      `json:"section"`
	Advice  bool     `json:"advice,omitempty"` // a failure does not prevent certification
	Verdict Verdict  `json:"verdict"`
	Count   int      `json:"count,omitempty"`  // how often the rule was checked
	Detail  string   `json:"detail,omitempty"` // the first failure, or why the check does not apply
	Says    []string `json:"says"`             // the sentences of SPEC.md
}

// Coverage lists the parts of the ABI that the guest used.
type Coverage struct {
	Hooks      []string `json:"hooks"`      // called hooks, including call_tool
	Documents  []string `json:"documents"`  // documents that the guest wrote
	Operations []string `json:"operations"` // operations that it called
	Statuses   []string `json:"statuses"`   // statuses that it received
	Calls      int      `json:"calls"`      // number of calls of hooks and tools
}

// Report holds the results of the kit for a guest.
type Report struct {
	Name      string    `json:"name,omitempty"`
	Version   string    `json:"version,omitempty"`
	Certified bool      `json:"certified"`
	Refused   string    `json:"refused,omitempty"` // why the configuration was refused; if set, no hook was called
	Outcomes  []Outcome `json:"checks"`
	Coverage  Coverage  `json:"covers"`
}

// Failed returns the ids of the failed checks. With advice it includes checks that are only advice.
func (r *Report) Failed(advice bool) []string {
	var ids []string
	for i := range r.Outcomes {
		if o := &r.Outcomes[i]; o.Verdict == Fail && (advice || !o.Advice) {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// Outcome returns the outcome of the check with this id, or nil if there is no such check.
func (r *Report) Outcome(id string) *Outcome {
	if i := slices.IndexFunc(r.Outcomes, func(o Outcome) bool { return o.ID == id }); i >= 0 {
		return &r.Outcomes[i]
	}
	return nil
}

// Write writes the report as readable text, by section of SPEC.md. Each failure shows the sentences that it breaks.
// With all, the report also lists the checks that passed and those that do not apply.
func (r *Report) Write(w io.Writer, all bool) {
	passed, absent := 0, 0
	section := -1
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		switch o.Verdict {
		case Pass:
			passed++
		case NotApplicable:
			absent++
		case Fail:
		}
		if o.Verdict != Fail && !all {
			continue
		}
		if o.Section != section {
			section = o.Section
			fmt.Fprintf(w, "§%d\n", section)
		}
		o.write(w)
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d not applicable, in %d calls\n", passed, len(r.Failed(true)), absent, r.Coverage.Calls)
	for _, c := range []struct {
		what  string
		names []string
	}{
		{"hooks", r.Coverage.Hooks},
		{"documents", r.Coverage.Documents},
		{"operations", r.Coverage.Operations},
		{"statuses", r.Coverage.Statuses},
	} {
		fmt.Fprintf(w, "covers %s: %s\n", c.what, text.Clean(orNone(c.names)))
	}
	if r.Refused != "" {
		fmt.Fprintf(w, "this configuration was refused, so no hook was called; give another one: %s\n", terminal.Continued(r.Refused))
	}
	verdict := "NOT CERTIFIED"
	if r.Certified {
		verdict = "CERTIFIED"
	}
	fmt.Fprintf(w, "%s %s: %s\n", terminal.Line(orNone([]string{r.Name})), terminal.Line(r.Version), verdict)
}

func (o *Outcome) write(w io.Writer) {
	mark := map[Verdict]string{Pass: "ok  ", Fail: "FAIL", NotApplicable: "n/a "}[o.Verdict]
	if o.Advice && o.Verdict == Fail {
		mark = "hint"
	}
	line := "  " + mark + " " + o.ID
	if o.Detail != "" {
		line += ": " + o.Detail
	}
	fmt.Fprintln(w, terminal.Continued(line))
	if o.Verdict == Fail {
		for _, sentence := range o.Says {
			fmt.Fprintf(w, "       SPEC.md §%d: %s\n", o.Section, sentence)
		}
	}
}

func orNone(names []string) string {
	if text := strings.Join(names, ", "); text != "" {
		return text
	}
	return "none"
}
