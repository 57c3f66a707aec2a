package cassette

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/mask"
)

// leastSecret is the length of the shortest secret that is hidden, in bytes. A shorter one would hide parts of ordinary words.
const leastSecret = 6

// Recorder records the exchanges of an agent's models. Its methods may be called from several goroutines at once.
type Recorder struct {
	mask *mask.Mask

	mu    sync.Mutex
	lines []line
	err   error // the first exchange that could not be recorded
}

// NewRecorder returns a recorder that hides these secrets, in all forms in which texts show them.
func NewRecorder(secrets ...string) *Recorder {
	return &Recorder{mask: mask.Of(leastSecret, secrets...)}
}

// Model returns a model that asks another one and records the exchanges under a name, which is that of the model within the agent. Calls
// that are cancelled are not recorded.
func (r *Recorder) Model(name string, inner model.Model) model.Model {
	r.add(&line{Model: name, Info: infoOf(inner)})
	var recorded model.Streamer = &recordedModel{inner, r, name}
	if moderator, ok := model.ModeratorOf(inner); ok {
		recorded = &recordedModerator{recorded, moderator, r, name}
	}
	if decider, ok := model.DeciderOf(inner); ok {
		recorded = &recordedDecider{recorded, decider, r, name}
	}
	return recorded
}

func (r *Recorder) add(l *line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, *l)
}

// fail notes that an exchange could not be recorded.
func (r *Recorder) fail(name string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = fmt.Errorf("cassette: a request of %s cannot be recorded: %w", name, err)
	}
}

// recordable returns a request as a document that is within the limits of [Read].
func recordable(asked any) (out wire.Raw, err error) {
	text, err := json.Marshal(asked)
	if err == nil {
		err = out.UnmarshalJSON(text)
	}
	return out, err
}

// note records a request, with its answer unless it failed or was cancelled.
func (r *Recorder) note(ctx context.Context, l *line, failed error) {
	if ctx.Err() != nil {
		return
	}
	if failed != nil {
		l.Response, l.Error = nil, failureOf(failed)
	}
	r.add(l)
}

// exchange records a request of a chat with its answer.
func (r *Recorder) exchange(ctx context.Context, name string, req *model.Request, resp *model.Response, failed error) {
	asked, err := recordable(requestOf(req))
	if err != nil {
		r.fail(name, err)
		return
	}
	l := &line{Model: name, Request: asked}
	if failed == nil {
		l.Response = responseOf(resp)
	}
	r.note(ctx, l, failed)
}

// Cassette returns what was recorded until now.
func (r *Recorder) Cassette() (*Cassette, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return nil, r.err
	}
	out := &Cassette{}
	for i := range r.lines {
		text, err := json.Marshal(&r.lines[i])
		if err != nil {
			return nil, fmt.Errorf("cassette: %w", err)
		}
		var hidden line
		if err := json.Unmarshal(r.mask.Bytes(text), &hidden); err != nil {
			return nil, fmt.Errorf("cassette: an exchange without its secrets is not JSON: %w", err)
		}
		out.lines = append(out.lines, hidden)
	}
	return out, nil
}

// recordedModel records what a model is asked.
type recordedModel struct {
	inner model.Model
	to    *Recorder
	name  string
}

var _ model.Streamer = (*recordedModel)(nil)

// Info describes the inner model.
func (m *recordedModel) Info() model.Info { return m.inner.Info() }

// Unwrap returns the inner model, for [model.As].
func (m *recordedModel) Unwrap() model.Model { return m.inner }

// Generate asks the inner model.
func (m *recordedModel) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	resp, err := m.inner.Generate(ctx, req)
	m.to.exchange(ctx, m.name, req, resp, err)
	return resp, err
}

// Stream asks the inner model, which may not stream.
func (m *recordedModel) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	streamer, ok := m.inner.(model.Streamer)
	if !ok {
		return func(yield func(model.Chunk, error) bool) {
			resp, err := m.Generate(ctx, req)
			yield(model.Chunk{Response: resp}, err)
		}
	}
	return func(yield func(model.Chunk, error) bool) {
		for chunk, err := range streamer.Stream(ctx, req) {
			if err != nil || chunk.Response != nil {
				m.to.exchange(ctx, m.name, req, chunk.Response, err)
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// recordedModerator is a recorded model that also judges texts.
type recordedModerator struct {
	model.Streamer
	moderator model.Moderator
	to        *Recorder
	name      string
}

// Unwrap returns the recorded model, for [model.As].
func (m *recordedModerator) Unwrap() model.Model { return m.Streamer }

// Moderate asks the inner model.
func (m *recordedModerator) Moderate(ctx context.Context, moderationModel, text string) (*model.Moderation, error) {
	judged, err := m.moderator.Moderate(ctx, moderationModel, text)
	l := &line{Model: m.name, Moderation: &moderation{moderationModel, text}}
	if err == nil {
		l.Response = &response{Moderation: &judgement{judged.Flagged, judged.Categories, judged.Scores}}
	}
	m.to.note(ctx, l, err)
	return judged, err
}
