package main

import (
	"strings"

	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
)

// interruptedError is a run that ended as interrupted, as a person reads it, with the commands that go on.
type interruptedError struct {
	next      string // the step that comes next
	questions []*question.Question
	command   question.Command
	named     bool // the run has a thread
	durable   bool // which outlasts the process
}

func (e *interruptedError) Error() string {
	var out strings.Builder
	if len(e.questions) > 0 {
		out.WriteString("the run is interrupted, and waits for an answer before " + terminal.Line(e.next) + ":\n")
	} else {
		out.WriteString("the run is interrupted by a breakpoint, before " + terminal.Line(e.next) + "\n")
	}
	switch {
	case e.durable:
		out.WriteString(threadview.Questions(e.questions, &e.command))
	default:
		out.WriteString(threadview.Questions(e.questions, nil))
		out.WriteString("Nobody can go on with it: nothing of the run is kept when the command ends. ")
		if e.named {
			out.WriteString("Its thread is kept in memory;\nkeep threads in a database, such as sqlite:agent.db, by the manifest's checkpoint.")
		} else {
			out.WriteString("Name a thread by --thread,\nwhich the manifest's checkpoint keeps in a database, such as sqlite:agent.db.")
		}
	}
	return strings.TrimRight(out.String(), "\n")
}
