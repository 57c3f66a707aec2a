package cassette

import (
	"context"
	"errors"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// decisionRequest is a [model.DecisionRequest], without the ids of messages in its state.
type decisionRequest struct {
	State     wire.Raw            `json:"state"`
	Questions map[string]question `json:"questions"`
}

type question struct {
	Type         model.QuestionType `json:"type"`
	Instructions string             `json:"instructions,omitempty"`
	Criteria     wire.Map           `json:"criteria,omitempty"`
}

func decisionRequestOf(req *model.DecisionRequest) (*decisionRequest, error) {
	state, err := withoutIDs(req.State)
	if err != nil {
		return nil, err
	}
	out := &decisionRequest{state, make(map[string]question, len(req.Questions))}
	for id, q := range req.Questions {
		out.Questions[id] = question{q.Type, q.Instructions, q.Criteria}
	}
	return out, nil
}

// withoutIDs returns a value without the ids of the messages in it, which differ from run to run.
func withoutIDs(value wire.Raw) (wire.Raw, error) {
	switch {
	case value.IsArray():
		out := []any{}
		for item := range value.Elements() {
			item, err := withoutIDs(item)
			if err != nil {
				return nil, err
			}
			out = append(out, item)
		}
		return wire.Of(out)
	case value.IsMap():
		var fields, out wire.Map
		if _, err := fields.UnmarshalMsg(value); err != nil {
			return nil, err
		}
		_, message := value.Get("role").AsString()
		for _, field := range fields {
			if message && field.Key == "id" {
				continue
			}
			item, err := withoutIDs(field.Value)
			if err != nil {
				return nil, err
			}
			out.Set(field.Key, item)
		}
		return out.Raw(), nil
	default:
		return value, nil
	}
}

// decisions is a [model.Decisions].
type decisions struct {
	Model   string              `json:"model,omitempty"`
	Answers map[string]decision `json:"answers"`
	Usage   *usage              `json:"usage,omitempty"`
}

// decision is a [model.Decision].
type decision struct {
	Type          model.QuestionType `json:"type"`
	Noul          float64            `json:"noul,omitempty"`
	Choice        string             `json:"choice,omitempty"`
	Probabilities map[string]float64 `json:"probabilities,omitempty"`
	Confidence    float64            `json:"confidence,omitempty"`
}

// usage is an [abi.Usage], with the keys that it has in messages.
type usage struct {
	CacheCreationTokens uint64 `json:"cache_creation_tokens,omitempty"`
	CacheReadTokens     uint64 `json:"cache_read_tokens,omitempty"`
	InputTokens         uint64 `json:"input_tokens"`
	OutputTokens        uint64 `json:"output_tokens"`
	ReasoningTokens     uint64 `json:"reasoning_tokens,omitempty"`
	TotalTokens         uint64 `json:"total_tokens"`
}

func decisionsOf(d *model.Decisions) *decisions {
	out := &decisions{Model: d.Model, Answers: make(map[string]decision, len(d.Answers))}
	for id, a := range d.Answers {
		out.Answers[id] = decision(a)
	}
	if d.Usage != (abi.Usage{}) {
		used := usage(d.Usage)
		out.Usage = &used
	}
	return out
}

func (d *decisions) model() *model.Decisions {
	out := &model.Decisions{Model: d.Model, Answers: make(map[string]model.Decision, len(d.Answers))}
	for id, a := range d.Answers {
		out.Answers[id] = model.Decision(a)
	}
	if d.Usage != nil {
		out.Usage = abi.Usage(*d.Usage)
	}
	return out
}

// recordedDecider is a recorded model that also answers questions.
type recordedDecider struct {
	model.Streamer
	decider model.Decider
	to      *Recorder
	name    string
}

// Unwrap returns the recorded model, for [model.As].
func (m *recordedDecider) Unwrap() model.Model { return m.Streamer }

// Decide asks the inner model.
func (m *recordedDecider) Decide(ctx context.Context, req *model.DecisionRequest) (*model.Decisions, error) {
	answers, failed := m.decider.Decide(ctx, req)
	l := &line{Model: m.name}
	asked, err := decisionRequestOf(req)
	if err == nil {
		l.Decision, err = recordable(asked)
	}
	if err != nil {
		m.to.fail(m.name, err)
		return answers, failed
	}
	if answers != nil {
		l.Response = &response{Decisions: decisionsOf(answers)}
	} else if failed == nil {
		m.to.fail(m.name, errors.New("the model has returned neither answers nor an error"))
		return nil, nil //nolint:nilnil // as the model did
	}
	m.to.note(ctx, l, failed)
	return answers, failed
}

// playedDecider is a played model that also answers questions.
type playedDecider struct {
	model.Streamer
	player *Player
	name   string
}

// Unwrap returns the played model, for [model.As].
func (m *playedDecider) Unwrap() model.Model { return m.Streamer }

// Decide answers from the cassette.
func (m *playedDecider) Decide(ctx context.Context, req *model.DecisionRequest) (*model.Decisions, error) {
	asked, err := decisionRequestOf(req)
	if err != nil {
		return nil, err
	}
	resp, err := m.player.play(ctx, m.name, asked, decisionIn)
	if err != nil {
		return nil, err
	}
	return resp.Decisions.model(), nil
}

func decisionIn(l *line) (wire.Raw, error) { return l.Decision, nil }
