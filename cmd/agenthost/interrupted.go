package main

import (
	"strings"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
)

// interruptedError explains an interrupted run to a person, with the commands that continue it.
type interruptedError struct {
	next      string // the step that the run stopped before
	questions []*question.Question
	command   question.Command
	named     bool // whether the run has a thread
	durable   bool // whether the thread outlives the process
}

func (e *interruptedError) Error() string {
	var out strings.Builder
	if len(e.questions) > 0 {
		out.WriteString("the run is interrupted and waits for an answer before " + terminal.Line(e.next) + ":\n")
	} else {
		out.WriteString("the run is interrupted at a breakpoint, before " + terminal.Line(e.next) + "\n")
	}
	switch {
	case e.durable:
		out.WriteString(threadview.Questions(e.questions, &e.command))
	default:
		out.WriteString(threadview.Questions(e.questions, nil))
		out.WriteString("The run cannot be continued: it is not kept when the command ends. ")
		if e.named {
			out.WriteString("Its thread is only in memory;\nlet the manifest's checkpoint name a database, such as sqlite:agent.db.")
		} else {
			out.WriteString("Name a thread with --thread,\nand let the manifest's checkpoint keep it in a database, such as sqlite:agent.db.")
		}
	}
	return strings.TrimRight(out.String(), "\n")
}
