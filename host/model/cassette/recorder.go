package cassette

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"

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
// that are cancelled are not recorded. The error says that the model is of a kind that cannot be recorded.
func (r *Recorder) Model(name string, inner model.Model) (model.Model, error) {
	if _, decides := model.DeciderOf(inner); decides {
		return nil, fmt.Errorf("cassette: %s: a model of the Decisions API cannot be recorded; use a chat model as the classifier", name)
	}
	r.add(&line{Model: name, Info: infoOf(inner)})
	recorded := &recordedModel{inner, r, name}
	if moderator, ok := model.ModeratorOf(inner); ok {
		return &recordedModerator{recorded, moderator}, nil
	}
	return recorded, nil
}

func (r *Recorder) add(l *line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, *l)
}

// exchange records a request with its answer.
func (r *Recorder) exchange(ctx context.Context, name string, req *model.Request, resp *model.Response, failed error) {
	if ctx.Err() != nil {
		return
	}
	asked, err := json.Marshal(requestOf(req))
	l := &line{Model: name, Request: nil}
	if err == nil {
		err = l.Request.UnmarshalJSON(asked)
	}
	switch {
	case err != nil:
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.err == nil {
			r.err = fmt.Errorf("cassette: a request of %s cannot be recorded: %w", name, err)
		}
		return
	case failed != nil:
		l.Error = failureOf(failed)
	default:
		l.Response = responseOf(resp)
	}
	r.add(l)
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
	*recordedModel
	moderator model.Moderator
}

// Moderate asks the inner model.
func (m *recordedModerator) Moderate(ctx context.Context, moderationModel, text string) (*model.Moderation, error) {
	judged, err := m.moderator.Moderate(ctx, moderationModel, text)
	if ctx.Err() != nil {
		return judged, err
	}
	l := &line{Model: m.name, Moderation: &moderation{moderationModel, text}}
	if err != nil {
		l.Error = failureOf(err)
	} else {
		l.Response = &response{Moderation: &judgement{judged.Flagged, judged.Categories, judged.Scores}}
	}
	m.to.add(l)
	return judged, err
}
