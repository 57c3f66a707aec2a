package threadview

import (
	"io"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// Print prints the conversation for people, and the open questions with the commands that answer them, which are made from the
// given one. With full, Print does not shorten anything.
func (c *Conversation) Print(w io.Writer, command question.Command, full bool) error {
	r := &report{full: full, hint: " (--full shows everything)"}
	r.linef("thread %s, checkpoint %d of %d, %s", terminal.Line(c.Thread), c.Checkpoint, c.Newest, moment(c.Time))
	r.linef("%s", c.describeState())
	for i := range c.Messages {
		r.message(&c.Messages[i])
	}
	if len(c.Finished) > 0 {
		r.linef("\ndone, but other tool calls of the response are not:")
		for i := range c.Finished {
			r.message(&c.Finished[i])
		}
	}
	if len(c.Rules) > 0 || c.unreadable != "" {
		r.linef("\nrules; 'agenthost threads revoke' removes them")
		r.rules(c.Rules)
		if c.unreadable != "" {
			r.linef("  %s", terminal.Line(c.unreadable))
		}
	}
	fields := slices.DeleteFunc(slices.Clone(c.Fields), func(p wire.Pair) bool { return p.Key == approval.FieldName })
	if len(fields) > 0 {
		r.linef("\nfields")
		for _, p := range fields {
			r.linef("  %s = %s", terminal.Line(p.Key), short(p.Value))
		}
	}
	c.unfinished(r)
	c.asked(r, command)
	_, err := io.WriteString(w, r.String())
	return err
}

// describeState describes the state of the thread.
func (c *Conversation) describeState() string {
	next := " before " + terminal.Line(c.Next)
	switch {
	case c.State == checkpoint.Running:
		return "running; this is the last checkpoint that the run saved"
	case c.State == checkpoint.Done:
		return "done"
	case c.State == checkpoint.Waiting:
		return "waiting for an answer" + next
	case c.State == checkpoint.Orphaned:
		return "orphaned" + next + ": the process of the run died"
	case c.Cancelled:
		return "stopped" + next + ", cancelled"
	case c.Failure != "":
		return "failed" + next + ": " + terminal.Line(c.Failure)
	case c.Paused:
		return "stopped" + next + ", at a breakpoint"
	default:
		return "stopped" + next
	}
}

// unfinished prints the tools that started and did not end.
func (c *Conversation) unfinished(r *report) {
	if len(c.Unfinished) == 0 {
		return
	}
	if c.State == checkpoint.Running {
		r.linef("\nrunning tools")
	} else {
		r.linef("\ninterrupted by a crash; it is unknown whether these calls took effect")
	}
	for _, e := range c.Unfinished {
		r.linef("  %s (%s), started %s", terminal.Line(e.Tool), terminal.Line(e.CallID), moment(e.Started))
	}
}

// asked prints the open questions and how to continue.
func (c *Conversation) asked(r *report, command question.Command) {
	if c.State == checkpoint.Running || c.State == checkpoint.Done {
		return
	}
	if c.Checkpoint != c.Newest {
		command.Checkpoint = c.Checkpoint
	}
	r.linef("")
	r.questions(c.questions, &command)
}

// Questions describes the open questions, with the commands that answer them or, if there are none, that continue the run.
// Without command it names no command.
func Questions(waiting []*question.Question, command *question.Command) string {
	r := &report{}
	r.questions(waiting, command)
	return r.String()
}

func (r *report) questions(waiting []*question.Question, command *question.Command) {
	for _, q := range waiting {
		if q.Kind == question.Other {
			r.linef("%s", terminal.Line(q.Heading(nil)))
			r.value("  ", q.Value)
		}
		for _, call := range q.Calls {
			r.linef("%s", terminal.Line(q.Heading(call)))
			if about := call.About(); about != "" {
				r.text("  │ ", about, resultLines)
			}
			if call.Args.Len() > 0 {
				r.value("  ", call.Args)
			}
			if command != nil && len(waiting)+len(q.Calls) > 2 {
				r.linef("  %s", text.Clean(call.Choices()))
			}
		}
	}
	if command == nil {
		return
	}
	r.linef("to continue it:")
	for _, line := range command.Lines(waiting) {
		r.linef("  %s", text.Clean(line))
	}
	if note := command.Note(); note != "" {
		r.linef("  %s", note)
	}
}
