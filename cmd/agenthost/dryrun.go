package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
)

// errDryRun stops a run before its first request to a model. As the cause of a cancellation, it passes through retries and fallbacks.
var errDryRun = errors.New("a dry run asks no model")

// dryModel takes the place of a model in a dry run: it keeps the first request, and stops the run.
type dryModel struct {
	model.Model
	asked *firstRequest
}

// firstRequest is the first request of a run.
type firstRequest struct {
	once sync.Once
	stop context.CancelCauseFunc
	info model.Info
	of   *model.Request
}

// Generate keeps the request.
func (m *dryModel) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	m.asked.once.Do(func() {
		m.asked.info, m.asked.of = m.Info(), req
		m.asked.stop(errDryRun)
	})
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// dryRun builds the agent, and prints the first request that a run with this input would send to a model. It sends none, and neither
// opens the database of threads for writing nor keeps the run. Hooks before the model run.
func (a *app) dryRun(ctx context.Context, flags *runFlags, input host.Input) (err error) {
	if flags.output == "jsonl" || flags.record != "" {
		return &exitError{exitUsage, errors.New("run: --dry-run prints text or json, and records nothing; leave out --output jsonl and --record")}
	}
	if err := a.override(&flags.runLimits, "--model "+flags.model); err != nil {
		return err
	}
	if flags.thread != "" {
		said, err := a.messagesOf(ctx, flags.thread, input)
		if err != nil {
			return err
		}
		input.Messages = append(said, input.Messages...)
	}
	input.Thread, input.Checkpoint, input.KeepWaiting = "", 0, false
	if flags.context.value != nil {
		input.Context = flags.context.value
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	asked := &firstRequest{stop: stop}
	var models []model.Info
	agent, err := a.load(ctx, manifest.Options{MemoryStore: true}, func(c *host.Config) {
		models = modelsOf(c)
		c.Model = &dryModel{c.Model, asked}
		for name, m := range c.Models {
			c.Models[name] = &dryModel{m, asked}
		}
	})
	if err != nil {
		return err
	}
	defer func() {
		if closing := agent.Close(); closing != nil {
			err = errors.Join(err, &exitError{exitFailed, closing})
		}
	}()
	if err := flags.checkAttachments(models, a.err); err != nil {
		return err
	}
	_, err = agent.Run(ctx, input)
	switch {
	case asked.of != nil:
		return asked.print(a.out, flags.output)
	case err != nil:
		return &exitError{runExit(ctx, err), err}
	default:
		_, err = fmt.Fprintln(a.out, "the run ends without asking a model")
		return err
	}
}

// messagesOf returns the messages of a thread; none if there is no such thread. It refuses the input as a run would.
func (a *app) messagesOf(ctx context.Context, thread string, input host.Input) (said []abi.Message, err error) {
	err = a.withStore(ctx, &threadsFlags{}, func(s checkpoint.Store) error {
		summary, err := threadview.Find(ctx, s, thread)
		if err != nil {
			return err
		}
		conversation, err := threadview.Load(ctx, s, thread, input.Checkpoint)
		if err != nil {
			return err
		}
		if input.KeepWaiting && summary.State == checkpoint.Waiting {
			return &exitError{exitUsage, fmt.Errorf("thread %q: its run waits for an answer, and a new prompt would give it up; answer it with "+
				"'agenthost resume', or add --give-up", thread)}
		}
		said = slices.Clone(conversation.Messages)
		return nil
	})
	if errors.Is(err, checkpoint.ErrNoThread) && input.Checkpoint == 0 {
		return nil, nil
	}
	if _, ok := errors.AsType[*exitError](err); err != nil && !ok {
		err = &exitError{storeExit(err), err}
	}
	return said, err
}

// requestDocument is a request as --output json prints it.
type requestDocument struct {
	Model    string         `json:"model"`
	System   string         `json:"system"`
	Tools    []toolDocument `json:"tools"`
	Messages []abi.Message  `json:"messages"`
}

type toolDocument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (r *firstRequest) document() requestDocument {
	doc := requestDocument{
		Model: modelName(r.info), System: r.of.System.Text(), Messages: r.of.Messages.Messages(), Tools: make([]toolDocument, len(r.of.Tools)),
	}
	for i := range r.of.Tools {
		doc.Tools[i] = toolDocument{r.of.Tools[i].Name, r.of.Tools[i].Description}
	}
	return doc
}

func (r *firstRequest) print(w io.Writer, output string) error {
	doc := r.document()
	if output == "json" {
		return terminal.PrintDocument(w, doc)
	}
	var out strings.Builder
	write := func(lines ...string) {
		for _, line := range lines {
			out.WriteString(line + "\n")
		}
	}
	write("model: "+terminal.Line(doc.Model), "system prompt:")
	write(terminal.Barred(doc.System)...)
	write(fmt.Sprintf("tools: %d", len(doc.Tools)))
	for _, tool := range doc.Tools {
		write("  " + terminal.Line(tool.Name) + ": " + terminal.Line(tool.Description))
	}
	write("messages:")
	for i := range doc.Messages {
		m := &doc.Messages[i]
		write("  " + terminal.Line(string(m.Role)) + ":")
		write(terminal.Barred(m.Content.Text())...)
		for _, block := range m.Content.Blocks() {
			if block.IsMedia() {
				write("  " + threadview.Block(block))
			}
		}
		for _, call := range m.ToolCalls {
			write(terminal.Barred(terminal.Line("calls " + call.Name + " " + call.Args.JSON()))...)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
