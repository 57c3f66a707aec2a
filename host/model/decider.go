package model

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Decider is a decision model: it answers typed questions about a state with probabilities. Its methods may be called from several
// goroutines at once. Package decision makes one of any chat model.
//
// Questions and answers are those of LangChain's langchain_core.decisions, as far as its middleware uses them.
type Decider interface {
	// Decide answers the questions of a request, which must not be changed. An answer may be missing, see [Decisions.Answer].
	Decide(ctx context.Context, req *DecisionRequest) (*Decisions, error)
}

// QuestionType is the type of a question and of its answer.
type QuestionType string

// The types of questions.
const (
	QuestionNoul   QuestionType = "noul"   // yes or no; the answer is the probability of yes
	QuestionChoice QuestionType = "choice" // one of several labels; the answer has the probability of each
)

// AnswerRefusal is the type of an answer in which the model refuses to decide. It answers no question.
const AnswerRefusal QuestionType = "refusal"

// Question is a question to a decision model.
type Question struct {
	Type         QuestionType
	Instructions string
	// Criteria say what the answers mean. A choice has one for each of its labels; a noul may have some for "true" and "false".
	Criteria wire.Map
}

// DecisionRequest asks questions about a state.
type DecisionRequest struct {
	State     wire.Raw            // what the questions are about: a text, a message, or a map with messages anywhere inside
	Questions map[string]Question // by id
}

// Decision is the answer to a question.
type Decision struct {
	Type          QuestionType
	Noul          float64            // of a noul: the probability of yes, from 0 to 1
	Choice        string             // of a choice: the label
	Probabilities map[string]float64 // of a choice: the probability of each label
	Confidence    float64            // of a choice, from 0 to 1
}

// Document returns the answer as LangChain writes it: {type, noul}, or {type, choice, probabilities, confidence}.
func (d *Decision) Document() wire.Map {
	out := wire.Map{{Key: "type", Value: wire.String(string(d.Type))}}
	if d.Type == QuestionNoul {
		out.Set("noul", wire.Float(d.Noul))
		return out
	}
	var probabilities wire.Map
	for label, p := range d.Probabilities {
		probabilities.Set(label, wire.Float(p))
	}
	out.Set("choice", wire.String(d.Choice))
	out.Set("probabilities", probabilities.Raw())
	out.Set("confidence", wire.Float(d.Confidence))
	return out
}

// Decisions are the answers to a request.
type Decisions struct {
	Model   string              // the model that answered
	Answers map[string]Decision // by the id of the question
	Usage   abi.Usage
}

// Answer returns the answer to a question if it is of this type. The error is an [*UnansweredError].
func (d *Decisions) Answer(id string, of QuestionType) (*Decision, error) {
	answer, ok := d.Answers[id]
	if !ok {
		return nil, &UnansweredError{ID: id, Type: of}
	}
	if answer.Type != of {
		return nil, &UnansweredError{ID: id, Type: of, Got: answer.Type}
	}
	return &answer, nil
}

// UnansweredError means that a decision model has not answered a question, or with an answer of another type.
type UnansweredError struct {
	ID   string
	Type QuestionType
	Got  QuestionType // "": there is no answer
}

func (e *UnansweredError) Error() string {
	if e.Got == "" {
		return `the decision model has not answered the question "` + e.ID + `"`
	}
	return `the decision model has answered the question "` + e.ID + `" with ` + string(e.Got) + `, which must be ` + string(e.Type)
}
