package openai

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// Decisions is a model of OpenAI's Decisions API, which answers questions with probabilities and does not chat. Set the fields of
// Model as for a chat model; API has no effect, and settings become fields of the request.
//
// The API takes the texts and images of user messages. Any other state is sent as the JSON of one message, with its images in their
// places. A criterion of a yes-or-no question is added to the instructions.
type Decisions struct{ Model }

var (
	_ model.Decider  = (*Decisions)(nil)
	_ model.Streamer = (*Decisions)(nil)
)

// errDecides is the error of a chat with a decision model.
var errDecides = errors.New("a model of the Decisions API does not chat; use it as the classifier of a middleware")

// Generate fails, because the model does not chat.
func (d *Decisions) Generate(context.Context, *model.Request) (*model.Response, error) {
	return nil, d.refused(errDecides)
}

// Stream fails, because the model does not chat.
func (d *Decisions) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{}, d.refused(errDecides)) }
}

// Check finds mistakes in the address, the headers and the settings.
func (d *Decisions) Check() error {
	if err := d.preset().service().Check(d.options()); err != nil {
		return err
	}
	_, err := d.settings()
	return err
}

func (d *Decisions) settings() (object, error) {
	return provider.Settings(d.provider(), d.Settings, nil, "model", "input", "questions")
}

// Decide answers the questions of a request. Answers of an unknown type are left out; a refusal is an answer of the type
// [model.AnswerRefusal].
func (d *Decisions) Decide(ctx context.Context, req *model.DecisionRequest) (*model.Decisions, error) {
	if err := d.connect(); err != nil {
		return nil, err
	}
	body, err := d.settings()
	if err != nil {
		return nil, err
	}
	questions := []any{}
	for _, id := range slices.Sorted(maps.Keys(req.Questions)) {
		question, err := decisionQuestion(id, req.Questions[id])
		if err != nil {
			return nil, d.refused(err)
		}
		questions = append(questions, question)
	}
	body["model"], body["questions"] = d.Name, questions
	if body["input"], err = decisionInput(req.State); err != nil {
		return nil, d.refused(err)
	}
	answer, err := d.endpoint.Ask(ctx, provider.Call{Path: "decisions", Body: body})
	if _, err := d.endpoint.Hide(nil, err); err != nil {
		return nil, err
	}
	return d.decided(answer)
}

// decisionQuestion returns the API's form of a question.
func decisionQuestion(id string, q model.Question) (object, error) {
	out := object{"type": "predicate", "name": id, "instructions": q.Instructions}
	if q.Type == model.QuestionChoice {
		out["type"] = "choice"
		choices := make([]any, 0, len(q.Criteria))
		for _, pair := range q.Criteria {
			choices = append(choices, object{"value": pair.Key, "description": criterionText(pair.Value)})
		}
		out["choices"] = choices
		return out, nil
	}
	if q.Type != model.QuestionNoul {
		return nil, fmt.Errorf("the question %q has the type %q, which the Decisions API does not know", id, q.Type)
	}
	instructions := []string{q.Instructions}
	for _, answer := range []struct{ key, says string }{{"true", "Answer yes if: "}, {"false", "Answer no if: "}} {
		if criterion := q.Criteria.Get(answer.key); !criterion.IsNil() {
			instructions = append(instructions, answer.says+criterionText(criterion))
		}
	}
	out["instructions"] = strings.Join(instructions, "\n\n")
	return out, nil
}

func criterionText(criterion wire.Raw) string {
	if text, ok := criterion.AsString(); ok {
		return text
	}
	return criterion.JSON()
}

// decisionInput returns the API's form of a state: a text, or one message of a user.
func decisionInput(state wire.Raw) (any, error) {
	if text, ok := state.AsString(); ok {
		return text, nil
	}
	if role, _ := state.Get("role").AsString(); role == string(abi.RoleHuman) {
		var m abi.Message
		if _, err := m.UnmarshalMsg(state); err != nil {
			return nil, fmt.Errorf("the message that the question is about: %w", err)
		}
		parts := []any{}
		for _, block := range m.Content.Blocks() {
			if part := inputPart(block); part != nil {
				delete(part, "detail")
				parts = append(parts, part)
			}
		}
		return []any{object{"role": "user", "content": parts}}, nil
	}
	shown := &decisionState{digest: sha256.Sum256(state)}
	value, err := shown.show(state)
	if err != nil {
		return nil, err
	}
	return []any{object{"role": "user", "content": shown.parts(value.JSON())}}, nil
}

// decisionState is a state as JSON text with images in their places.
type decisionState struct {
	digest [sha256.Size]byte // of the state
	images []string
}

// mark stands in the text for an image. No text of the state can hold it, because it depends on the whole state.
func (s *decisionState) mark(n int) string { return fmt.Sprintf("image-%x-%d", s.digest, n) }

// show returns a value with a mark in place of each image.
func (s *decisionState) show(value wire.Raw) (wire.Raw, error) {
	var out []any
	switch {
	case value.IsArray():
		for item := range value.Elements() {
			item, err := s.show(item)
			if err != nil {
				return nil, err
			}
			out = append(out, item)
		}
		return wire.Of(out)
	case value.IsMap():
		var fields wire.Map
		if _, err := fields.UnmarshalMsg(value); err != nil {
			return nil, err
		}
		if block := abi.BlockOf(fields); block.Type() == abi.BlockImage {
			if url := provider.DataURL(block); url != "" {
				s.images = append(s.images, url)
				return wire.String(s.mark(len(s.images) - 1)), nil
			}
		}
		for i := range fields {
			var err error
			if fields[i].Value, err = s.show(fields[i].Value); err != nil {
				return nil, err
			}
		}
		return fields.Raw(), nil
	default:
		return value, nil
	}
}

// parts splits the JSON of a shown value at its marks.
func (s *decisionState) parts(text string) []any {
	parts := []any{}
	for i, url := range s.images {
		before, after, _ := strings.Cut(text, strconv.Quote(s.mark(i)))
		parts = append(parts, object{"type": "input_text", "text": before}, object{"type": "input_image", "image_url": url})
		text = after
	}
	return append(parts, object{"type": "input_text", "text": text})
}

// decided reads the answers of the API.
func (d *Decisions) decided(text []byte) (*model.Decisions, error) {
	var said struct {
		Model   string `json:"model"`
		Answers []struct {
			Name          string  `json:"name"`
			Type          string  `json:"type"`
			Probability   float64 `json:"probability"`
			Choice        string  `json:"choice"`
			Confidence    float64 `json:"confidence"`
			Probabilities []struct {
				Value       string  `json:"value"`
				Probability float64 `json:"probability"`
			} `json:"probabilities"`
		} `json:"answers"`
		Usage json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, d.unreadable(text, "cannot be read: "+err.Error())
	}
	out := &model.Decisions{Model: said.Model, Answers: map[string]model.Decision{}}
	if used := tokens(said.Usage); used != nil {
		out.Usage = *used
	}
	for _, a := range said.Answers {
		switch a.Type {
		case "predicate":
			out.Answers[a.Name] = model.Decision{Type: model.QuestionNoul, Noul: a.Probability}
		case "choice":
			decision := model.Decision{
				Type: model.QuestionChoice, Choice: a.Choice, Confidence: a.Confidence, Probabilities: map[string]float64{},
			}
			for _, p := range a.Probabilities {
				decision.Probabilities[p.Value] = p.Probability
			}
			out.Answers[a.Name] = decision
		case "refusal":
			out.Answers[a.Name] = model.Decision{Type: model.AnswerRefusal}
		}
	}
	return out, nil
}
