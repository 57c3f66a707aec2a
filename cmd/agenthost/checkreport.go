package main

import (
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/internal/docdiff"
	"github.com/agenthost/agenthost/internal/terminal"
)

// checkReport says what a change does to a recorded conversation.
type checkReport struct {
	Same     bool          `json:"same"`
	Turns    []checkedTurn `json:"turns"`
	Requests []checkedPart `json:"requests"` // to the agent's model
}

// checkedTurn is a turn of the conversation.
type checkedTurn struct {
	Turn     int           `json:"turn"`             // from 1
	Status   string        `json:"status,omitempty"` // how the turn ends otherwise than before; "": it ends as before
	Messages []checkedPart `json:"messages"`
}

// checkedPart is a message or a request.
type checkedPart struct {
	Number      int      `json:"number"` // from 1
	Role        string   `json:"role,omitempty"`
	Name        string   `json:"name,omitempty"`
	Differences []string `json:"differences,omitempty"` // none: it is the same
}

// compareRuns compares a conversation with its repetition.
func compareRuns(before, after *checkedRun) *checkReport {
	out := &checkReport{Same: true, Requests: []checkedPart{}}
	for i := range before.report.Turns {
		was, is := before.report.Turns[i].Outcome, after.report.Turns[i].Outcome
		turn := checkedTurn{Turn: i + 1, Messages: []checkedPart{}}
		if was.Status != is.Status || was.Error != is.Error {
			turn.Status, out.Same = docdiff.Clean(fmt.Sprintf("%s → %s", ending(was), ending(is))), false
		}
		for j, lines := range cases.CompareMessages(was.Messages, is.Messages) {
			m := messageAt(was.Messages, is.Messages, j)
			turn.Messages = append(turn.Messages, checkedPart{Number: j + 1, Role: string(m.Role), Name: m.Name, Differences: lines})
			out.Same = out.Same && len(lines) == 0
		}
		out.Turns = append(out.Turns, turn)
	}
	for i := range max(len(before.requests), len(after.requests)) {
		diff := docdiff.Of("", requestAt(before.requests, i), requestAt(after.requests, i))
		part := checkedPart{Number: i + 1}
		if !diff.IsZero() {
			part.Differences, out.Same = diff.Lines(), false
		}
		out.Requests = append(out.Requests, part)
	}
	return out
}

func ending(o *cases.Outcome) string {
	if o.Error != "" {
		return string(o.Status) + ": " + o.Error
	}
	return string(o.Status)
}

func messageAt(was, is []abi.Message, i int) *abi.Message {
	if i < len(was) {
		return &was[i]
	}
	return &is[i]
}

func requestAt(requests []wire.Raw, i int) wire.Raw {
	if i < len(requests) {
		return requests[i]
	}
	return nil
}

// printCheck prints a report, and returns the error with the exit code.
func (a *app) printCheck(r *checkReport, flags *checkFlags) (err error) {
	if flags.json {
		err = terminal.PrintDocument(a.out, r)
	} else {
		err = a.printCheckText(r, flags.all)
	}
	if err != nil {
		return &exitError{exitFailed, err}
	}
	if !r.Same {
		return &exitError{exitFailed, nil}
	}
	return nil
}

func (a *app) printCheckText(r *checkReport, all bool) error {
	messages, different := 0, 0
	part := func(name string, p *checkedPart) error {
		outcome := "same"
		if len(p.Differences) > 0 {
			outcome = "DIFFERENT"
			different++
		} else if !all {
			return nil
		}
		_, err := fmt.Fprintln(a.out, terminal.List(name+": "+outcome, p.Differences))
		return err
	}
	for i := range r.Turns {
		turn := &r.Turns[i]
		if turn.Status != "" {
			different++
			if _, err := fmt.Fprintf(a.out, "turn %d: it ends otherwise: %s\n", turn.Turn, turn.Status); err != nil {
				return err
			}
		}
		for j := range turn.Messages {
			m := &turn.Messages[j]
			messages++
			who := m.Role
			if m.Role == string(abi.RoleTool) {
				who += " " + terminal.Line(m.Name)
			}
			if err := part(fmt.Sprintf("turn %d, message %d (%s)", turn.Turn, m.Number, who), m); err != nil {
				return err
			}
		}
	}
	for i := range r.Requests {
		if err := part(fmt.Sprintf("request %d to the model", r.Requests[i].Number), &r.Requests[i]); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(a.out, "%s and %s compared, %d different\n", counted(messages, "message"), counted(len(r.Requests), "request"), different)
	return err
}
