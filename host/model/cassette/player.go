package cassette

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/docdiff"
	"github.com/agenthost/agenthost/internal/mask"
)

// Player answers requests from a cassette, each exchange once. Its methods may be called from several goroutines at once: which exchange
// answers a request depends on the request, and on the order only among equal requests.
type Player struct {
	cassette *Cassette
	mask     *mask.Mask

	mu         sync.Mutex
	used       []bool
	calls      map[string]int // by the name of the model
	mismatches []*MismatchError
}

// NewPlayer returns a player. The secrets are hidden in requests as [NewRecorder] hides them.
func NewPlayer(c *Cassette, secrets ...string) *Player {
	return &Player{cassette: c, mask: mask.Of(leastSecret, secrets...), used: make([]bool, len(c.lines)), calls: map[string]int{}}
}

// Model returns the model that was recorded under a name. The error says that there is none.
func (p *Player) Model(name string) (model.Model, error) {
	recorded, err := p.info(name, false)
	if err != nil {
		return nil, err
	}
	var played model.Streamer = &playedModel{p, name, recorded.model()}
	if recorded.Moderator {
		played = &playedModerator{played, p, name}
	}
	if recorded.Decider {
		played = &playedDecider{played, p, name}
	}
	return played, nil
}

// info describes the model that was recorded under a name.
func (p *Player) info(name string, embedder bool) (*info, error) {
	var names []string
	for i := range p.cassette.lines {
		l := &p.cassette.lines[i]
		if l.Info == nil || l.Info.Embedder != embedder {
			continue
		}
		if l.Model == name {
			return l.Info, nil
		}
		names = append(names, l.Model)
	}
	kind := "model"
	if embedder {
		kind = "embedding model"
	}
	others := "and no other " + kind
	if len(names) > 0 {
		others = "only " + strings.Join(names, ", ")
	}
	return nil, fmt.Errorf("the cassette has no %s %q, %s; record it again with 'agenthost test --record'", kind, name, others)
}

// Mismatches returns the requests that were not recorded.
func (p *Player) Mismatches() []*MismatchError {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mismatches
}

// MismatchError means that a request is not recorded.
type MismatchError struct {
	Model   string       // name of the model within the agent
	Call    int          // number of the request to this model, from 1
	Nearest int          // number of the exchange in the cassette that is most like it, from 1; 0: the cassette has none left
	Diff    docdiff.Diff // from that recorded request to this one
}

func (e *MismatchError) Error() string {
	if e.Nearest == 0 {
		return fmt.Sprintf("call %d of %s is not in the cassette, which has no more exchanges of this model; record it again with --record", e.Call, e.Model)
	}
	return fmt.Sprintf("call %d of %s is not in the cassette; the nearest recorded request, exchange %d, differs in %s; record it again with --record",
		e.Call, e.Model, e.Nearest, strings.Join(e.Diff.Lines(), ", "))
}

// ErrorType names the type of the error in documents and events.
func (*MismatchError) ErrorType() string { return "cassette_mismatch" }

// answer returns the exchange that answers a request, which is the key of an exchange as JSON.
func (p *Player) answer(name string, asked any, of func(*line) (wire.Raw, error)) (*line, error) {
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	document, err := canonical(p.mask.Bytes(text))
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[name]++
	mismatch := &MismatchError{Model: name, Call: p.calls[name]}
	number := 0
	for i := range p.cassette.lines {
		l := &p.cassette.lines[i]
		if l.Info == nil {
			number++
		}
		if p.used[i] || l.Model != name {
			continue
		}
		recorded, err := of(l)
		if err != nil {
			return nil, err
		}
		if recorded.IsZero() {
			continue
		}
		diff := docdiff.Of("", recorded, document)
		if diff.IsZero() {
			p.used[i] = true
			return l, nil
		}
		if size := len(diff.Changes) + diff.More; mismatch.Nearest == 0 || size < len(mismatch.Diff.Changes)+mismatch.Diff.More {
			mismatch.Nearest, mismatch.Diff = number, diff
		}
	}
	p.mismatches = append(p.mismatches, mismatch)
	return nil, mismatch
}

// play returns the recorded answer to a request, or the recorded error.
func (p *Player) play(ctx context.Context, name string, asked any, of func(*line) (wire.Raw, error)) (*response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	l, err := p.answer(name, asked, of)
	switch {
	case err != nil:
		return nil, &model.Error{Provider: "cassette", Kind: model.ErrorInvalidRequest, Err: err} // no retry helps
	case l.Error != nil:
		return nil, l.Error.err()
	default:
		return l.Response, nil
	}
}

// documentOf returns a request as a document.
func documentOf(asked any) (wire.Raw, error) {
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	return canonical(text)
}

// canonical returns JSON as a document of which there is only one form.
func canonical(text []byte) (wire.Raw, error) {
	limits := wire.Limits{MaxBytes: 4*len(text) + 64, MaxDepth: 1000, MaxNodes: 1 << 20}
	document, err := wire.FromJSON(text, limits)
	if err != nil {
		return nil, err
	}
	return wire.Canonical(document, limits)
}

func requestIn(l *line) (wire.Raw, error) { return l.Request, nil }

func moderationIn(l *line) (wire.Raw, error) {
	if l.Moderation == nil {
		return nil, nil
	}
	return documentOf(l.Moderation)
}

// playedModel is a model that answers from a cassette.
type playedModel struct {
	player *Player
	name   string
	info   model.Info
}

var _ model.Streamer = (*playedModel)(nil)

// Info describes the model as it was recorded.
func (m *playedModel) Info() model.Info { return m.info }

// Generate answers a request.
func (m *playedModel) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	resp, err := m.player.play(ctx, m.name, requestOf(req), requestIn)
	if err != nil {
		return nil, err
	}
	return resp.model(), nil
}

// Stream answers a request in two chunks: the text and the response.
func (m *playedModel) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp, err := m.Generate(ctx, req)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		if ai := resp.AI(); ai != nil && ai.Content.Text() != "" && !yield(model.Chunk{Text: ai.Content.Text()}, nil) {
			return
		}
		yield(model.Chunk{Response: resp}, nil)
	}
}

// playedModerator is a played model that also judges texts.
type playedModerator struct {
	model.Streamer
	player *Player
	name   string
}

// Unwrap returns the played model, for [model.As].
func (m *playedModerator) Unwrap() model.Model { return m.Streamer }

// Moderate answers from the cassette.
func (m *playedModerator) Moderate(ctx context.Context, moderationModel, text string) (*model.Moderation, error) {
	resp, err := m.player.play(ctx, m.name, &moderation{moderationModel, text}, moderationIn)
	if err != nil {
		return nil, err
	}
	j := resp.Moderation
	return &model.Moderation{Flagged: j.Flagged, Categories: j.Categories, Scores: j.Scores}, nil
}
