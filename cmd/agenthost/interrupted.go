package main

import (
	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
)

// waitingExit explains an interrupted run to a person: the step that it stopped before, its open questions, and the commands that
// continue it. Without command, the run is not kept.
func waitingExit(next string, questions []*question.Question, command *question.Command) error {
	text := "the run is interrupted at a breakpoint, before " + terminal.Line(next) + "\n"
	if len(questions) > 0 {
		text = "the run is interrupted and waits for an answer before " + terminal.Line(next) + ":\n"
	}
	text += threadview.Questions(questions, command)
	if command == nil {
		text += "The run cannot be continued: it is not kept when the command ends.\n" +
			"To keep runs, set checkpoint in the manifest to a database, such as sqlite:agent.db.\n"
	}
	return &exitError{exitWaiting, errortext.LaidOut(text[:len(text)-1], nil)}
}
