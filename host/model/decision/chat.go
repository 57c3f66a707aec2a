package decision

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// Chat answers questions by asking a chat model for probabilities that fit a schema. The model reads the state and the questions as
// JSON. It sees the images and files in the state if its profile says that it takes them.
//
// A choice is the label with the highest probability, and its confidence is that probability. The probabilities of a choice are
// scaled so that they add up to 1.
type Chat struct {
	Model model.Model
}

// answerFormat is the name of the answer's format, and of the tool that may take its place.
const answerFormat = "answers"

//go:embed prompt.md
var prompt string

// Decide asks the model once. The error is the model's, or an [*AnswerError].
func (c *Chat) Decide(ctx context.Context, req *model.DecisionRequest) (*model.Decisions, error) {
	asked, err := c.request(req)
	if err != nil {
		return nil, err
	}
	resp, err := c.Model.Generate(ctx, asked)
	if err != nil {
		return nil, err
	}
	out := &model.Decisions{Model: cmp.Or(resp.Model, c.Model.Info().Name), Answers: make(map[string]model.Decision, len(req.Questions))}
	if usage := resp.AI().Usage; usage != nil {
		out.Usage = *usage
	}
	value := resp.Value(answerFormat)
	for id, question := range req.Questions {
		answer, err := read(id, &question, value.Get(id))
		if err != nil {
			return nil, err
		}
		out.Answers[id] = *answer
	}
	return out, nil
}

// AnswerError means that a chat model has not answered a question with probabilities.
type AnswerError struct {
	ID     string // of the question
	Reason string
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("the answer to the question %q cannot be used: %s", e.ID, e.Reason)
}

// request returns the request for the chat model.
func (c *Chat) request(req *model.DecisionRequest) (*model.Request, error) {
	media := mediaOf(c.Model.Info())
	state, err := media.without(req.State)
	if err != nil {
		return nil, err
	}
	schema, questions := map[string]any{}, map[string]any{}
	for id, question := range req.Questions {
		schema[id] = schemaOf(&question)
		asked := map[string]any{"type": string(question.Type), "instructions": question.Instructions}
		if len(question.Criteria) > 0 {
			asked["criteria"] = question.Criteria.Raw()
		}
		questions[id] = asked
	}
	document, err := wire.Of(map[string]any{"state": state, "questions": questions})
	if err != nil {
		return nil, err
	}
	format := &model.Format{Name: answerFormat, Description: "The answers to the questions."}
	if format.Schema, err = wire.Of(object(schema)); err != nil {
		return nil, err
	}
	human := abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(append([]abi.Block{abi.TextBlock(document.JSON())}, media.seen...)...)}
	asked := &model.Request{Model: c.Model, System: abi.Text(strings.TrimSpace(prompt)), Messages: history.Of(human)}
	return asked.AskingFor(format), nil
}

// object returns the schema of an object that has all these properties and no others.
func object(properties map[string]any) map[string]any {
	return map[string]any{
		"type": "object", "properties": properties, "required": slices.Sorted(maps.Keys(properties)), "additionalProperties": false,
	}
}

func schemaOf(q *model.Question) map[string]any {
	probability := map[string]any{"type": "number", "description": "a probability from 0 to 1"}
	if q.Type == model.QuestionNoul {
		return object(map[string]any{"probability": probability})
	}
	labels := map[string]any{}
	for _, label := range q.Criteria {
		labels[label.Key] = probability
	}
	return object(map[string]any{"probabilities": object(labels)})
}

// read reads the answer to a question.
func read(id string, q *model.Question, value wire.Raw) (*model.Decision, error) {
	if q.Type == model.QuestionNoul {
		p, err := probability(id, "probability", value.Get("probability"))
		return &model.Decision{Type: q.Type, Noul: p}, err
	}
	out := &model.Decision{Type: q.Type, Probabilities: make(map[string]float64, len(q.Criteria))}
	given, sum := value.Get("probabilities"), 0.0
	for _, label := range q.Criteria {
		p, err := probability(id, label.Key, given.Get(label.Key))
		if err != nil {
			return nil, err
		}
		out.Probabilities[label.Key] = p
		sum += p
	}
	if sum == 0 {
		return nil, &AnswerError{id, "every label has the probability 0"}
	}
	for _, label := range q.Criteria {
		p := out.Probabilities[label.Key] / sum
		out.Probabilities[label.Key] = p
		if p > out.Confidence {
			out.Choice, out.Confidence = label.Key, p
		}
	}
	return out, nil
}

// probability reads a probability. Values of a model are hostile: anything but a number from 0 to 1 is an error.
func probability(id, of string, value wire.Raw) (float64, error) {
	p, ok := value.AsFloat()
	switch {
	case value.IsZero():
		return 0, &AnswerError{id, fmt.Sprintf("%q is missing", of)}
	case !ok || math.IsNaN(p) || p < 0 || p > 1:
		return 0, &AnswerError{id, fmt.Sprintf("%q must be a number from 0 to 1", of)}
	default:
		return p, nil
	}
}
