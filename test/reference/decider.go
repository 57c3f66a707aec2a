package reference

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/test/reference/probe"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// classifierLabel is the label of decision models in records of requests.
const classifierLabel = "classifier"

// DeciderSpec is a decision model that a vector describes.
type DeciderSpec struct {
	Turns  []decisionTurn
	OpenAI bool // it shows its questions with the words of OpenAI's Decisions API
}

// decisionTurn is what a decision model answers: decisions, or a failure.
type decisionTurn struct {
	answers map[string]model.Decision
	failure *abi.Error
	status  int // of the failure, as an answer of HTTP; 0: none
}

func readDecider(o *strict.Object) *DeciderSpec {
	o.Need("kind", "turns")
	o.OneOf("kind", "scripted")
	d := &DeciderSpec{}
	for _, turn := range o.Objects("turns") {
		d.Turns = append(d.Turns, readDecisionTurn(turn))
	}
	_ = o.Done()
	return d
}

func readDecisionTurn(o *strict.Object) decisionTurn {
	if o.Has("error") {
		turn := decisionTurn{}
		if failure := o.Object("error"); failure != nil {
			turn.status = failure.Int("status", 100)
			turn.failure = probe.ErrorOf(failure)
		}
		_ = o.Done()
		return turn
	}
	o.Need("answers")
	turn := decisionTurn{answers: map[string]model.Decision{}}
	if answers := o.Object("answers"); answers != nil {
		for _, id := range answers.Keys() {
			turn.answers[id] = readDecision(answers.Object(id))
		}
		_ = answers.Done()
	}
	_ = o.Done()
	return turn
}

// predicate is OpenAI's word for a question that is answered with the probability of yes.
const predicate = "predicate"

func readDecision(o *strict.Object) model.Decision {
	o.Need("type")
	kind := o.OneOf("type", string(model.QuestionNoul), string(model.QuestionChoice), predicate, string(model.AnswerRefusal))
	d := model.Decision{Type: model.QuestionType(kind)}
	if kind == predicate {
		o.Need("probability")
		d.Type, d.Noul = model.QuestionNoul, o.Float("probability")
		_ = o.Done()
		return d
	}
	d.Noul, d.Choice, d.Confidence = o.Float("noul"), o.Text("choice"), o.Float("confidence")
	for _, p := range o.Map("probabilities") {
		if d.Probabilities == nil {
			d.Probabilities = map[string]float64{}
		}
		value, ok := p.Value.AsFloat()
		if !ok {
			o.Fail("probabilities", "must be numbers")
		}
		d.Probabilities[p.Key] = value
	}
	_ = o.Done()
	return d
}

// fileDecider is a decision model that answers as its file says and records its requests.
type fileDecider struct {
	spec   *DeciderSpec
	record *recorder
	calls  atomic.Int64
}

var _ model.Decider = (*fileDecider)(nil)

// Info describes the model.
func (*fileDecider) Info() model.Info { return model.Info{Name: classifierLabel} }

// Generate fails, because a decision model is not a chat model.
func (*fileDecider) Generate(context.Context, *model.Request) (*model.Response, error) {
	return nil, errors.New("a decision model does not chat")
}

// Decide gives the next answers.
func (d *fileDecider) Decide(_ context.Context, req *model.DecisionRequest) (*model.Decisions, error) {
	d.record.decision(&decided{req, d.spec.OpenAI})
	n := int(d.calls.Add(1)) - 1
	if n >= len(d.spec.Turns) {
		return nil, fmt.Errorf("classifier: call %d of %d turns: %w", n+1, len(d.spec.Turns), scripted.ErrExhausted)
	}
	turn := &d.spec.Turns[n]
	switch {
	case turn.status != 0:
		said := &model.Error{Provider: "openai", Kind: model.ErrorInvalidRequest, Status: turn.status, Err: turn.failure}
		return nil, &providerError{turn.failure, said}
	case turn.failure != nil:
		return nil, ofProvider(turn.failure)
	}
	return &model.Decisions{Model: classifierLabel, Answers: turn.answers}, nil
}

// decided is a recorded request to a decision model.
type decided struct {
	*model.DecisionRequest

	openAI bool
}

// document shows a request with the keys of an expected run.
func (req *decided) document() any {
	questions := map[string]any{}
	for id, question := range req.Questions {
		if req.openAI {
			questions[id] = openAIQuestion(question)
			continue
		}
		var criteria any
		if len(question.Criteria) > 0 {
			criteria = mapDocument(question.Criteria)
		}
		questions[id] = map[string]any{"type": string(question.Type), "instructions": question.Instructions, "criteria": criteria}
	}
	return map[string]any{"model": classifierLabel, "state": value(req.State), "questions": questions}
}

// openAIQuestion shows a question with the words of OpenAI's Decisions API.
func openAIQuestion(question model.Question) any {
	out := map[string]any{"type": predicate, "instructions": question.Instructions}
	if question.Type == model.QuestionChoice {
		out["type"], out["choices"] = string(question.Type), mapDocument(question.Criteria)
	}
	return out
}

// decisions compares requests to decision models. A message in their state is compared like one of the history: by the keys that are
// expected.
func (d *differences) decisions(want, got any) {
	expected, _ := want.([]any)
	d.list("decision_requests", expected, got, func(path string, want, got any) {
		request, _ := want.(map[string]any)
		actual, _ := got.(map[string]any)
		d.value(path+".model", request["model"], actual["model"])
		d.value(path+".questions", request["questions"], actual["questions"])
		d.shown(path+".state", request["state"], actual["state"])
	})
}

func (d *differences) shown(path string, want, got any) {
	switch want := want.(type) {
	case []any:
		d.list(path, want, got, d.shown)
	case map[string]any:
		actual, ok := got.(map[string]any)
		if _, ok := want["role"]; ok {
			d.message(path, want, got)
			return
		}
		if !ok || len(actual) != len(want) {
			d.add(path, want, got)
			return
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			d.shown(path+"."+key, want[key], actual[key])
		}
	default:
		d.value(path, want, got)
	}
}

// checkDecision refuses keys of an expected request to a decision model that the format does not know.
func checkDecision(o *strict.Object) {
	o.Need("model", "state", "questions")
	checkText(o, "model")
	o.Raw("state")
	for _, question := range o.Map("questions") {
		if !question.Value.IsMap() {
			o.Fail("questions", "must be objects")
		}
	}
	_ = o.Done()
}
