package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/sse"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

// view is how a client sees a run.
type view struct {
	run  *runs.Run
	kept keptRequest
	want *format
}

// viewOf returns how the client that asked for a run sees it. The error is [runs.ErrNoRun] for one that another door started.
func viewOf(run *runs.Run) (*view, error) {
	var k kept
	if err := json.Unmarshal(run.Request, &k); err != nil || k.OpenAI.Kind == "" {
		return nil, runs.ErrNoRun
	}
	want, err := formatOf(k.OpenAI.Format, "format")
	return &view{run: run, kept: k.OpenAI, want: want}, err
}

func (v *view) shows(what string) bool { return (&ask{show: v.kept.Show}).shows(what) }

func (v *view) translator() *answer.Translator {
	return answer.New(answer.Config{Progress: v.shows(showProgress), Structured: v.kept.Structured})
}

// whole returns what came of a run that is over.
func (h *Handler) whole(ctx context.Context, v *view) (*answer.Answer, error) {
	t := v.translator()
	for event, err := range runs.AllEvents(ctx, h.Service, v.run.Owner, v.run.ID, 0) {
		if err != nil {
			return nil, err
		}
		if _, err := t.Translate(&event); err != nil {
			return nil, err
		}
	}
	return h.ended(ctx, v, t)
}

// ended returns the answer of a run that is over, whose events were translated. The thread of one that asks something is kept for the answer.
func (h *Handler) ended(ctx context.Context, v *view, t *answer.Translator) (*answer.Answer, error) {
	a := t.Whole(v.run)
	if len(a.Questions) > 0 {
		if err := h.Service.KeepThread(ctx, v.run.Owner, v.run.Thread, nil); err != nil && !errors.Is(err, runs.ErrNoThread) {
			return nil, err
		}
	}
	if a.Failure == nil {
		if err := v.want.check(a.Structured); err != nil {
			a.Failure = &runs.Failure{
				Type: "invalid_structured_answer",
				Message: fmt.Sprintf("the agent's answer does not have the form that the request asks for: %v; use the schema of the agent's "+
					"response_format", err),
			}
		}
	}
	return a, nil
}

// encoder makes the frames of a stream.
type encoder interface {
	begin() []sse.Event
	piece(p *answer.Piece) []sse.Event
	end(v *view, a *answer.Answer) []sse.Event
	fail(f *fault) []sse.Event
}

// source makes the frames of a run's stream. Only one goroutine uses it at a time.
type source struct {
	h          *Handler
	view       *view
	encoder    encoder
	translator *answer.Translator
	follower   *door.Follower
	begun      bool
	over       bool // the last frame was made
}

func (h *Handler) source(v *view, e encoder) *source {
	s := &source{h: h, view: v, encoder: e, translator: v.translator()}
	s.follower = h.Follow(v.run.Owner, v.run.ID, 0, door.Translation{Event: s.event, End: s.end})
	return s
}

// next returns the next frames, see [sse.Source]. A stream that breaks off must say so: its clients would take what they have for the whole answer.
func (s *source) next(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
	if !s.begun {
		s.begun = true
		return s.encoder.begin(), nil, nil
	}
	out, news, err := s.follower.Next(ctx)
	switch {
	case errors.Is(err, runs.ErrNoRun): // it was rolled back
		s.over = true
		return s.encoder.fail(cancelled(s.view.run)), nil, io.EOF
	case err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil:
		s.over = true
		s.h.Logger.Error("a stream broke off", "run", s.view.run.ID, "error", err)
		return s.encoder.fail(explain(ctx, err)), nil, io.EOF
	}
	return out, news, err
}

func (s *source) event(_ context.Context, e *runs.Event) (out []sse.Event, err error) {
	pieces, err := s.translator.Translate(e)
	for i := range pieces {
		if p := &pieces[i]; p.Kind != answer.Reasoning || s.view.shows(showReasoning) {
			out = append(out, s.encoder.piece(p)...)
		}
	}
	return out, err
}

func (s *source) end(ctx context.Context) ([]sse.Event, error) {
	run, err := s.h.Service.Run(ctx, s.view.run.Owner, s.view.run.ID)
	if err != nil {
		return nil, err
	}
	s.view.run = run
	a, err := s.h.ended(ctx, s.view, s.translator)
	if err != nil {
		return nil, err
	}
	s.over = true
	return s.encoder.end(s.view, a), nil
}

// stream answers with the stream of a run. If the client goes away before its end, the run is cancelled if that is wanted.
func (h *Handler) stream(c *door.Call, s *source, cancels bool) door.Reply {
	return func() error {
		defer s.follower.Close()
		err := h.Send(c, s.next)
		switch {
		case errors.Is(err, sse.ErrClientGone) && cancels:
			h.CancelLeft(c, s.view.run.ID)
		case err == nil && !s.over: // the server stops
			h.sendLast(c, s.encoder.fail(stopping(s.view.run)))
		}
		return nil // the headers were sent
	}
}

// sendLast sends frames after the end of a stream.
func (h *Handler) sendLast(c *door.Call, frames []sse.Event) {
	for i := range frames {
		text, err := frames[i].Bytes()
		if err == nil {
			_, err = c.W.Write(text)
		}
		if err != nil {
			access.Note(c.R.Context(), err)
			return
		}
	}
	if err := http.NewResponseController(c.W).Flush(); err != nil {
		access.Note(c.R.Context(), err)
	}
}

// frame returns a frame with a document.
func frame(name string, document any) sse.Event {
	data, err := json.Marshal(document)
	if err != nil { // its parts are texts, numbers and JSON
		data, _ = json.Marshal((&fault{told: explain(context.Background(), err).told}).document()) //nolint:errchkjson // it has texts alone
	}
	return sse.Event{Name: name, Data: data}
}
