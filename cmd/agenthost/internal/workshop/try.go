package workshop

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/guestlog"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/internal/docdiff"
	"github.com/agenthost/agenthost/server/dev"
)

// Try performs a call of runs again.
func (w *Workshop) Try(ctx context.Context, runs []string, number int, edit dev.Edit) (*dev.Outcome, error) {
	f, err := w.frame(runs, number)
	if err != nil {
		return nil, err
	}
	return w.try(ctx, f, edit)
}

// enter waits until no test call is performed: only one is at a time, so that a page cannot use more than an agent may.
func (w *Workshop) enter(ctx context.Context) (leave func(), err error) {
	select {
	case w.bench <- struct{}{}:
		return func() { <-w.bench }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// try performs a call again, with what a person has edited.
func (w *Workshop) try(ctx context.Context, recorded *cassette.Frame, edit dev.Edit) (out *dev.Outcome, err error) {
	given, err := editedFrame(recorded, edit)
	if err != nil {
		return nil, invalid(err)
	}
	if recorded.Plugin.Path == "" {
		return nil, invalid(errors.New("the plugin is not a file, so it cannot be called again here"))
	}
	leave, err := w.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var log guestlog.Lines
	replay, err := author.NewReplay(ctx, plugin.Wasm{
		ID: recorded.Plugin.Name, Path: recorded.Plugin.Path, Engine: w.engine, Limits: plugin.Limits{Deadline: w.deadline(recorded.Plugin.Name)},
	}, recorded.Plugin, slog.New(&log))
	if err != nil {
		return nil, stopped(ctx, err)
	}
	defer func() { err = errors.Join(err, replay.Close()) }()
	start := time.Now()
	performed, err := replay.Call(ctx, given)
	took := time.Since(start)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	if out, err = outcomeOf(performed); err != nil {
		return nil, err
	}
	out.Digest, out.Memory, out.Duration, out.Log = Short(replay.SHA256()), replay.Usage().Memory, took.Nanoseconds(), log.All()
	for _, d := range cassette.Compare(recorded, performed, replay.Same() && unchanged(recorded, given)) {
		out.Differences = append(out.Differences, d.Lines()...)
	}
	return out, nil
}

// editedFrame returns a copy of a call with what a person has edited.
func editedFrame(recorded *cassette.Frame, edit dev.Edit) (*cassette.Frame, error) {
	given := *recorded
	var err error
	if given.Input, err = edited(recorded.Input, edit.Input); err != nil {
		return nil, err
	}
	if !wire.Raw(given.Input).IsMap() {
		return nil, errors.New("input: it must be an object")
	}
	var input abi.HookInput
	if _, err := input.UnmarshalMsg(given.Input); err != nil {
		return nil, errors.New("input: " + docdiff.Clean(err.Error()))
	}
	given.Exchanges, err = editedAnswers(recorded.Exchanges, edit.Answers)
	return &given, err
}

// unchanged reports whether a call gets what it got, so that it must use the same fuel.
func unchanged(recorded, given *cassette.Frame) bool {
	return bytes.Equal(recorded.Input, given.Input) && slices.EqualFunc(recorded.Exchanges, given.Exchanges, func(a, b cassette.Exchange) bool {
		return a.Op == b.Op && a.Answered == b.Answered && a.Status == b.Status && bytes.Equal(a.Reply, b.Reply)
	})
}

// invalid returns an error that the person at the page can correct.
func invalid(err error) error {
	return &dev.RefusalError{Status: http.StatusUnprocessableEntity, Text: err.Error()}
}

// stopped returns why a call could not be performed.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return invalid(err)
}
