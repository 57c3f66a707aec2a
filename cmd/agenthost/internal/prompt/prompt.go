// Package prompt puts the questions of a run to a person at a terminal.
//
// Text of models, tools and plugins can neither control the terminal nor look like a line of the prompt: it is shown as JSON
// or after a bar, and passes through package terminal. Only typed input is a decision; there is no default.
package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Prompt is a conversation with a person.
type Prompt struct {
	In  *Lines
	Out io.Writer
	// Edit lets the person change a text and returns the result.
	Edit func(ctx context.Context, text []byte) ([]byte, error)
}

// ErrLeft says that the person gave no answer: the input or the context ended.
var ErrLeft = errors.New("the question was left unanswered")

// Answer asks all questions in order and enters the answers into a sheet. If the error is ErrLeft, some may be missing.
func (p *Prompt) Answer(ctx context.Context, questions []*question.Question, sheet *question.Sheet) error {
	total := 0
	for _, q := range questions {
		total += max(1, len(q.Calls))
	}
	n := 0
	for _, q := range questions {
		if q.Kind == question.Other {
			n++
			if err := p.other(ctx, q, sheet, place(n, total)); err != nil {
				return err
			}
		}
		for _, c := range q.Calls {
			n++
			d, err := p.decide(ctx, q, c, place(n, total))
			if err == nil {
				err = sheet.Decide(c.Ref, d)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func place(n, total int) string {
	if total == 1 {
		return ""
	}
	return fmt.Sprintf("%d of %d: ", n, total)
}

// Confirm asks a yes-or-no question.
func (p *Prompt) Confirm(ctx context.Context, text string) (bool, error) {
	for {
		answer, err := p.ask(ctx, terminal.Line(text)+" [y/n] ")
		switch strings.ToLower(answer) {
		case "y", "yes":
			return true, err
		case "n", "no":
			return false, err
		}
		if err != nil {
			return false, err
		}
		p.notUnderstood(answer, "y or n")
	}
}

// notUnderstood says why the question is repeated.
func (p *Prompt) notUnderstood(typed, expected string) {
	if typed == "" {
		p.println("  there is no default; type " + expected)
		return
	}
	p.println("  " + terminal.Line(strconv.Quote(typed)) + " is not an answer to this question; type " + expected)
}

// ask prints a text and returns the line typed after it.
func (p *Prompt) ask(ctx context.Context, text string) (string, error) {
	if _, err := io.WriteString(p.Out, text); err != nil {
		return "", err
	}
	typed, err := p.In.Next(ctx)
	if err != nil {
		p.println()
		return "", ErrLeft
	}
	return strings.TrimSpace(typed), nil
}

func (p *Prompt) println(lines ...string) {
	fmt.Fprintln(p.Out, strings.Join(lines, "\n"))
}

// other asks a question whose form is unknown.
func (p *Prompt) other(ctx context.Context, q *question.Question, sheet *question.Sheet, place string) error {
	p.println("", place+terminal.Line(q.Heading(nil)))
	p.value(q.Value, 0)
	for {
		text, err := p.ask(ctx, "  answer (JSON or text) > ")
		if err != nil {
			return err
		}
		if text != "" {
			return sheet.Give(q.ID, question.ParseValue(text))
		}
		p.notUnderstood("", "an answer")
	}
}

// shownLines is how many lines of the arguments of a call are shown at first.
const shownLines = 60

// value shows a value, and reports whether it showed all of it.
func (p *Prompt) value(v wire.Raw, most int) bool {
	lines, whole := terminal.Value(v, most)
	for _, line := range lines {
		p.println("  " + line)
	}
	return whole
}

// decide asks for a decision about a call.
func (p *Prompt) decide(ctx context.Context, q *question.Question, c *question.Call, place string) (question.Decision, error) {
	p.println(append([]string{"", place + terminal.Line(q.Heading(c))}, terminal.Barred(c.About())...)...)
	whole := p.value(c.Args, shownLines)
	choices := choicesOf(c.Allowed)
	if c.Standing() {
		at := slices.Index(c.Allowed, question.Approve) + 1
		choices = slices.Insert(choices, at, choice{always, 'l'})
	}
	if !whole {
		choices = append(choices, choice{"view", 'v'})
	}
	for {
		typed, err := p.ask(ctx, "  "+menu(choices)+" > ")
		if err != nil {
			return question.Decision{}, err
		}
		at := slices.IndexFunc(choices, func(ch choice) bool { return ch.is(typed) })
		if at < 0 {
			p.notUnderstood(typed, "one of these words, or its letter in brackets")
			continue
		}
		if choices[at].name == "view" {
			p.value(c.Args, 0)
			continue
		}
		if choices[at].name == always {
			extent, err := p.extent(ctx, c)
			if err != nil {
				return question.Decision{}, err
			}
			if extent == question.Once {
				continue
			}
			return question.Decision{Type: question.Approve, Always: extent}, nil
		}
		d := question.Decision{Type: question.Type(choices[at].name)}
		if done, err := p.complete(ctx, c, &d); done || err != nil {
			return d, err
		}
	}
}

// always is the word that approves a call and further ones.
const always = "always"

// extent asks which calls an approval covers, besides the one that is asked about. [question.Once] means that the person went back.
func (p *Prompt) extent(ctx context.Context, c *question.Call) (question.Always, error) {
	p.println("  from now on, calls of this tool in this thread run without a question:",
		"  a: any call of "+terminal.Line(c.Name), "  s: a call with the same arguments", "  b: back, to decide about this call alone")
	for {
		typed, err := p.ask(ctx, "  [a]ny  [s]ame  [b]ack > ")
		if err != nil {
			return question.Once, err
		}
		switch strings.ToLower(typed) {
		case "a", "any":
			return question.AnyArgs, nil
		case "s", "same":
			return question.SameArgs, nil
		case "b", "back":
			return question.Once, nil
		}
		p.notUnderstood(typed, "one of these words, or its letter in brackets")
	}
}

// complete asks for what a decision needs besides its type, and reports whether the decision is complete.
func (p *Prompt) complete(ctx context.Context, c *question.Call, d *question.Decision) (done bool, err error) {
	switch d.Type {
	case question.Edit:
		d.Args, err = p.edit(ctx, c)
		return !d.Args.IsZero(), err
	case question.Respond:
		for d.Message == nil {
			text, err := p.ask(ctx, "  the result, for the model > ")
			if err != nil {
				return false, err
			}
			if text != "" {
				d.Message = &text
			} else {
				p.notUnderstood("", "a text")
			}
		}
	case question.Reject, question.Skip:
		text, err := p.ask(ctx, "  why, for the model (may be empty) > ")
		if err != nil {
			return false, err
		}
		d.Message = &text
	default: // the type is enough
	}
	return true, nil
}

// edit lets the person change the arguments of a call until they are valid. It returns none if the person gives up.
func (p *Prompt) edit(ctx context.Context, c *question.Call) (wire.Raw, error) {
	text := c.EditText()
	for {
		edited, err := p.Edit(ctx, text)
		if err != nil {
			p.println("  " + terminal.Line(err.Error()))
			return nil, nil
		}
		args, err := question.ParseArgs(edited)
		if err == nil {
			err = c.CheckArgs(args)
		}
		switch {
		case err == nil && args.Equal(c.Args):
			p.println("  the arguments are unchanged")
			return nil, nil
		case err == nil:
			p.value(args, shownLines)
			return args, nil
		}
		p.println("  " + terminal.Line(err.Error()))
		answer, err := p.ask(ctx, "  Enter: edit again, c: do not edit > ")
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(strings.ToLower(answer), "c") {
			return nil, nil
		}
		text = edited
	}
}
