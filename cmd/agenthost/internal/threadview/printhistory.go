package threadview

import (
	"fmt"
	"io"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
)

// PrintHistory prints checkpoints for people.
func PrintHistory(w io.Writer, entries []Entry) error {
	r := &report{}
	for i := range entries {
		entries[i].write(r)
	}
	_, err := io.WriteString(w, r.String())
	return err
}

func (e *Entry) write(r *report) {
	heading := []string{moment(e.Time), string(e.Source)}
	if e.Step != "" && e.Source == "loop" {
		heading = append(heading, "after "+e.Step)
	}
	switch {
	case e.Next == "":
		heading = append(heading, "run complete")
	case e.Paused:
		heading = append(heading, "breakpoint before "+e.Next)
	default:
		heading = append(heading, "next "+e.Next)
	}
	after := ""
	switch {
	case e.Branches && e.Parent == 0:
		after = " from the beginning"
	case e.Branches:
		after = fmt.Sprintf(" after #%d", e.Parent)
	}
	r.linef("#%d%s  %s", e.ID, after, terminal.Line(strings.Join(heading, ", ")))
	if e.Rewritten {
		r.linef("    the history was rewritten, with %d messages", e.Messages)
	}
	for i := range e.Added {
		r.linef("    + %s", brief(&e.Added[i]))
	}
	for i := range e.Replaced {
		r.linef("    ~ %s", brief(&e.Replaced[i]))
	}
	for _, id := range e.Removed {
		r.linef("    - %s", terminal.Line(id))
	}
	for _, p := range e.Set {
		r.linef("    %s = %s", terminal.Line(p.Key), short(p.Value))
	}
	for _, name := range e.Unset {
		r.linef("    %s was removed", terminal.Line(name))
	}
	for _, id := range e.Finished {
		r.linef("    tool call %s is done, others are not", terminal.Line(id))
	}
	e.writeQuestions(r)
	switch {
	case e.Cancelled:
		r.linef("    cancelled")
	case e.Failure != "":
		r.linef("    failed: %s", terminal.Line(e.Failure))
	}
}

func (e *Entry) writeQuestions(r *report) {
	for _, a := range e.Answered {
		who := "answered"
		if a.By != "" {
			who = terminal.Line(a.By) + " answered"
		}
		r.linef("    %s %s of %s at %s: %s", who, terminal.Line(a.Interrupt), terminal.Line(a.Step), moment(a.At), describeAnswer(a.Value))
	}
	for _, a := range e.Asked {
		r.linef("    %s of %s asks %s", terminal.Line(a.Interrupt), terminal.Line(a.Step), a.subject())
	}
}

// subject describes the question in part of a line.
func (q *Question) subject() string {
	asked := question.Read([]checkpoint.Question{{ID: q.Interrupt, Value: q.Value}}, history.List{})[0]
	if asked.Kind == question.Other {
		return short(q.Value)
	}
	calls := make([]string, len(asked.Calls))
	for i, c := range asked.Calls {
		calls[i] = terminal.Line(c.Name) + " " + short(c.Args)
	}
	return "about " + strings.Join(calls, ", ")
}

// describeAnswer describes the answer in part of a line: decisions by type and message, anything else as JSON.
func describeAnswer(answer wire.Raw) string {
	var given wire.Map
	if _, err := given.UnmarshalMsg(answer); err != nil {
		return short(answer)
	}
	decisions, several := given.Get("decisions").Items()
	if !several {
		decisions = []wire.Raw{answer}
	}
	out := make([]string, len(decisions))
	for i, raw := range decisions {
		var d wire.Map
		if _, err := d.UnmarshalMsg(raw); err != nil {
			return short(answer)
		}
		kind, ok := d.Get("type").AsString()
		if !ok {
			return short(answer)
		}
		out[i] = terminal.Line(kind)
		for _, p := range d {
			if p.Key != "type" {
				out[i] += " " + short(p.Value)
			}
		}
	}
	return strings.Join(out, ", ")
}
