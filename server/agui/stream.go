package agui

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/agui/internal/protocol"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
	"github.com/agenthost/agenthost/server/internal/sse"
)

// run prepares the answer to a request: the stream of a run that it starts, or that the client comes back to.
func (h *Handler) run(c *door.Call) (door.Reply, error) {
	r := &request{h: h, c: c, in: &runAgentInput{}}
	if err := jsonbody.Decode(c.R, r.in); err != nil {
		return nil, err
	}
	if err := r.in.check(); err != nil {
		return nil, err
	}
	ctx := c.R.Context()
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	s := &source{h: h, owner: c.Owner, translator: r.translator()}
	run, err := r.present(ctx)
	switch {
	case err != nil:
		return nil, err
	case run != nil:
	case r.asks():
		s.rest = func(context.Context) ([]json.RawMessage, error) { return s.translator.Ask(r.before), io.EOF }
	default:
		sub, err := r.submission(ctx)
		if err != nil {
			return nil, err
		}
		if run, err = h.Service.Submit(ctx, sub); err != nil {
			return nil, err
		}
	}
	s.run = run
	return func() error {
		defer s.close()
		if err := h.Send(c, s.next); run != nil && errors.Is(err, sse.ErrClientGone) {
			h.CancelLeft(c, run.ID)
		}
		return nil // the headers were sent
	}, nil
}

// translator returns the translator of the run.
func (r *request) translator() *protocol.Translator {
	config := protocol.Config{Thread: r.in.Thread, Run: r.in.Run, Known: map[string]bool{}, Hidden: r.h.Hidden(r.agent.Name)}
	config.Older = r.in.Version == nil
	if r.in.Parent != nil {
		config.Parent = *r.in.Parent
	}
	for i := range r.in.Messages {
		config.Known[r.in.Messages[i].ID] = true
	}
	return protocol.New(config)
}

// source makes the frames of a stream. Only one goroutine uses it at a time.
type source struct {
	h          *Handler
	owner      string
	run        *runs.Run // nil: there is none
	translator *protocol.Translator
	rest       func(ctx context.Context) ([]json.RawMessage, error) // makes the frames without a run

	started  bool
	before   bool           // the translator knows where the run began
	follower *door.Follower // nil: it has not begun
}

func (s *source) close() {
	if s.follower != nil {
		s.follower.Close()
	}
}

// next returns the next frames, see [sse.Source].
func (s *source) next(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
	switch {
	case !s.started:
		s.started = true
		return events(s.translator.Start(time.Now())), nil, nil //nolint:forbidigo // it is for the client
	case s.run == nil:
		out, err := s.rest(ctx)
		return events(out), nil, err
	case s.follower == nil:
		s.follower = s.h.Follow(s.owner, s.run.ID, 0, door.Translation{Event: s.translate, End: s.end})
	}
	out, news, err := s.follower.Next(ctx)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return out, news, err
	case errors.Is(err, runs.ErrNoRun): // it was removed
		return events(s.translator.End(&runs.Run{Status: runs.Interrupted}, nil)), nil, io.EOF
	case ctx.Err() != nil:
		return nil, nil, err
	default:
		s.h.Logger.Error("the events of a run cannot be sent", "run", s.run.ID, "error", err)
		access.Note(ctx, err)
		return events(s.translator.Fail("unreadable", "the events of the run cannot be read at the moment; run again with the same runId")), nil, io.EOF
	}
}

func events(frames []json.RawMessage) []sse.Event {
	out := make([]sse.Event, len(frames))
	for i := range frames {
		out[i].Data = frames[i]
	}
	return out
}

// translate returns the frames of an event.
func (s *source) translate(ctx context.Context, e *runs.Event) ([]sse.Event, error) {
	if !s.before {
		if err := s.begin(ctx); err != nil {
			return nil, err
		}
		s.before = true
	}
	out, err := s.translator.Translate(e)
	return events(out), err
}

// begin tells the translator what the thread held where the run began.
func (s *source) begin(ctx context.Context) error {
	run, err := s.h.Service.Run(ctx, s.owner, s.run.ID)
	if err != nil {
		return err
	}
	at, err := runs.BeganAt(run)
	if err != nil {
		return err
	}
	before, err := s.h.snapshot(ctx, s.owner, run.Thread, at)
	if err != nil {
		return err
	}
	s.translator.Before(before)
	return nil
}

// end returns the last frames.
func (s *source) end(ctx context.Context) ([]sse.Event, error) {
	run, err := s.h.Service.Run(ctx, s.owner, s.run.ID)
	if err != nil || run.After == 0 {
		if err == nil {
			return events(s.translator.End(run, nil)), nil
		}
		return nil, err
	}
	after, err := s.h.snapshot(ctx, s.owner, run.Thread, run.After)
	if err != nil {
		return nil, err
	}
	return events(s.translator.End(run, after)), nil
}
