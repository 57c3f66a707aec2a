package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// decisionFlags holds the answers on a command line, in order.
type decisionFlags struct {
	decisions []decisionFlag
	answers   []string // files, or - for standard input
}

// decisionFlag is one decision on the command line.
type decisionFlag struct {
	flag     string // its name
	id       string
	file     string // with the arguments, for an edit
	decision question.Decision
}

// add adds the flags.
func (f *decisionFlags) add(flags *pflag.FlagSet) {
	for _, d := range []struct {
		t      question.Type
		always question.Always
		usage  string
	}{
		{question.Approve, question.Once, "approve the call or interrupt `ID`: it runs unchanged"},
		{
			question.Approve, question.AnyArgs,
			"approve the call `ID`, and from now on all calls of its tool in this thread; 'agenthost threads rules' lists such rules",
		},
		{question.Approve, question.SameArgs, "approve the call `ID`, and from now on calls of its tool with the same arguments in this thread"},
		{question.Edit, question.Once, "run the call with other arguments: `ID=FILE`, where FILE holds a JSON object and - is standard input"},
		{question.Reject, question.Once, "reject the call or interrupt `ID`: it does not run; a --message after this flag tells the model why"},
		{
			question.Respond, question.Once,
			"do not run the call `ID`: the --message after this flag is its result, or the answer to an interrupt of another kind",
		},
		{question.Retry, question.Once, "run the call `ID` again after a crash interrupted it"},
		{question.Skip, question.Once, "do not run the call `ID` again after a crash interrupted it; a --message after this flag tells the model why"},
	} {
		flag := typedFlag{to: f, name: string(d.t), decision: question.Decision{Type: d.t, Always: d.always}}
		if name, ok := map[question.Always]string{question.AnyArgs: "always", question.SameArgs: "always-same"}[d.always]; ok {
			flag.name = name
		}
		flags.Var(&flag, flag.name, d.usage)
	}
	flags.Var(&messageFlag{f}, "message", "the `TEXT` for the --reject, --respond or --skip before this flag")
	flags.StringArrayVar(&f.answers, "answer", nil,
		"answers in the asker's own format: a `FILE` holding a JSON object {interrupt id: answer}, or - for standard input")
}

// isEmpty reports whether there is no answer.
func (f *decisionFlags) isEmpty() bool { return len(f.decisions)+len(f.answers) == 0 }

// typedFlag is the flag for one type of decision.
type typedFlag struct {
	to       *decisionFlags
	name     string
	decision question.Decision
}

// Set adds a decision.
func (f *typedFlag) Set(id string) error {
	d := decisionFlag{flag: f.name, id: id, decision: f.decision}
	if d.decision.Type == question.Edit {
		var ok bool
		if d.id, d.file, ok = strings.Cut(id, "="); !ok || d.file == "" {
			return errors.New("write it as ID=FILE, where FILE holds the arguments as a JSON object")
		}
	}
	if d.id == "" {
		return errors.New("the id is missing; 'agenthost threads show THREAD' shows the ids")
	}
	f.to.decisions = append(f.to.decisions, d)
	return nil
}

func (*typedFlag) String() string { return "" }

// Type names the value in help texts whose usage does not.
func (*typedFlag) Type() string { return "ID" }

// messageFlag is the flag for the messages of decisions.
type messageFlag struct{ to *decisionFlags }

// Set adds the message to the decision before it.
func (f *messageFlag) Set(text string) error {
	if len(f.to.decisions) == 0 {
		return errors.New("it must follow the --reject, --respond or --skip that it belongs to")
	}
	last := &f.to.decisions[len(f.to.decisions)-1]
	d := &last.decision
	switch {
	case !d.Type.TakesMessage():
		return fmt.Errorf("the --%s before it takes no message; only --reject, --respond and --skip do", last.flag)
	case d.Message != nil:
		return fmt.Errorf("the --%s before it has two messages; keep one", last.flag)
	}
	d.Message = &text
	return nil
}

func (*messageFlag) String() string { return "" }

// Type names the value in help texts.
func (*messageFlag) Type() string { return "text" }

// fill enters all answers into a sheet.
func (f *decisionFlags) fill(ctx context.Context, sheet *question.Sheet, in io.Reader) error {
	for _, d := range f.decisions {
		if d.file != "" {
			text, err := readAnswer(ctx, d.file, in)
			if err == nil {
				d.decision.Args, err = question.ParseArgs(text)
			}
			if err != nil {
				return fmt.Errorf("--edit %s=%s: %w", d.id, d.file, err)
			}
		}
		if err := sheet.Decide(d.id, d.decision); err != nil {
			return fmt.Errorf("--%s %s: %w", d.flag, d.id, err)
		}
	}
	for _, file := range f.answers {
		if err := fillAnswers(ctx, sheet, file, in); err != nil {
			return fmt.Errorf("--answer %s: %w", file, err)
		}
	}
	return nil
}

func fillAnswers(ctx context.Context, sheet *question.Sheet, file string, in io.Reader) error {
	text, err := readAnswer(ctx, file, in)
	if err != nil {
		return err
	}
	var answers wire.Map
	if err := answers.UnmarshalJSON(text); err != nil {
		return fmt.Errorf("this must be a JSON object {interrupt id: answer}: %w", err)
	}
	if len(answers) == 0 {
		return errors.New("there are no answers; write {interrupt id: answer}")
	}
	for _, answer := range answers {
		if err := sheet.Give(answer.Key, answer.Value); err != nil {
			return err
		}
	}
	return nil
}

// readAnswer reads a file of answers, or standard input if the name is "-".
func readAnswer(ctx context.Context, file string, in io.Reader) ([]byte, error) {
	if file != "-" {
		return regularfile.Read(file, maxPrompt)
	}
	text, err := readInput(ctx, in, maxPrompt+1)
	if err == nil && len(text) > maxPrompt {
		err = fmt.Errorf("standard input is larger than the limit of %d bytes", maxPrompt)
	}
	return text, err
}
