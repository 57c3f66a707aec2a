package decision

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// Chat answers questions by asking a chat model, which reads the state and the questions as JSON. It sees the images and files in the
// state if its profile says that it takes them. Do not copy a Chat after its first use.
//
// If the profile of the model says that it reports log probabilities ([model.Info].Logprobs) and does not reason, each question is a
// request for one token: yes or no, or the letter of a choice. The answer is the probabilities of these tokens, scaled so that they add
// up to 1. Other models, and those whose server reports no probabilities after all, are asked for probabilities that fit a schema; so
// is a model whose first token is probably none of the options. The first such case of a Chat is reported with [model.Notice].
//
// A choice is the label with the highest probability, and its confidence is that probability. The probabilities of a choice add up
// to 1.
type Chat struct {
	Model model.Model

	said    sync.Once   // a notice
	without atomic.Bool // the server reports no log probabilities
}

// answerFormat is the name of the answer's format, and of the tool that may take its place.
const answerFormat = "answers"

//go:embed prompt.md
var prompt string

// Decide asks the model. The error is the model's, or an [*AnswerError].
func (c *Chat) Decide(ctx context.Context, req *model.DecisionRequest) (*model.Decisions, error) {
	info := c.Model.Info()
	out := &model.Decisions{Model: info.Name, Answers: make(map[string]model.Decision, len(req.Questions))}
	var why error
	if info.Logprobs == model.SupportYes && !info.Reasoning && !c.without.Load() {
		var err error
		if req, why, err = c.fromTokens(ctx, req, out); err != nil {
			return nil, err
		}
	}
	if len(req.Questions) > 0 {
		if err := c.ask(ctx, req, out); err != nil {
			return nil, err
		}
	}
	if why != nil { // now it is known that the request itself was all right
		if _, small := errors.AsType[*massError](why); !small {
			c.without.Store(true)
		}
		c.said.Do(func() {
			model.Notice(ctx, fmt.Sprintf("the model %s is asked for probabilities in a structured answer: %v", info.Name, why))
		})
	}
	return out, nil
}

// ask asks for probabilities in a structured answer, in one call.
func (c *Chat) ask(ctx context.Context, req *model.DecisionRequest, out *model.Decisions) error {
	asked, err := c.request(req)
	if err != nil {
		return err
	}
	resp, err := c.Model.Generate(ctx, asked)
	if err != nil {
		return err
	}
	c.count(out, resp)
	value := resp.Value(answerFormat)
	for id, question := range req.Questions {
		answer, err := read(id, &question, value.Get(id))
		if err != nil {
			return err
		}
		out.Answers[id] = *answer
	}
	return nil
}

// count adds the usage of a response, and notes which model it is from.
func (*Chat) count(out *model.Decisions, resp *model.Response) {
	out.Model = cmp.Or(resp.Model, out.Model)
	if ai := resp.AI(); ai != nil && ai.Usage != nil {
		out.Usage = out.Usage.Add(*ai.Usage)
	}
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
