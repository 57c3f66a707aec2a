package openai

import (
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/runs"
)

// answersOf reads metadata.resume, the answer to what a thread asks: a decision such as "approve" or "reject: too expensive" about all calls that
// wait, an object with answers by the ids of the questions, or the answer to the only question, in JSON or as a text.
func answersOf(t *runs.Thread, text, by string) ([]runs.Answer, error) {
	if len(t.Waiting) == 0 {
		return nil, invalid("metadata.resume", "nothing in the thread waits for an answer; leave out metadata.resume")
	}
	asked := make([]checkpoint.Question, len(t.Waiting))
	for i, w := range t.Waiting {
		value, err := wire.FromJSON(w.Value, wire.Limits{})
		if err != nil {
			return nil, err
		}
		asked[i] = checkpoint.Question{ID: w.ID, Step: w.Step, Value: value}
	}
	sheet := question.NewSheet(question.Read(asked, history.List{}))
	if err := fillIn(sheet, question.Read(asked, history.List{}), text); err != nil {
		return nil, invalid("metadata.resume", "metadata.resume: %v", err)
	}
	answers, err := sheet.Answers(by)
	if err != nil {
		return nil, invalid("metadata.resume", "metadata.resume: %v", err)
	}
	out := make([]runs.Answer, len(answers))
	for i, a := range answers {
		value, err := host.Encode(a.Value)
		if err != nil {
			return nil, err
		}
		out[i] = runs.Answer{Interrupt: a.Interrupt, Value: value, By: by}
	}
	return out, nil
}

// fillIn writes the answer of a client on a sheet.
func fillIn(sheet *question.Sheet, questions []*question.Question, text string) error {
	value := question.ParseValue(text)
	if byID := answersByID(value, questions); byID != nil {
		for _, pair := range byID {
			if err := sheet.Give(pair.Key, pair.Value); err != nil {
				return err
			}
		}
		return nil
	}
	if d, ok := decisionOf(text); ok {
		decided := false
		for _, q := range questions {
			if len(q.Calls) == 0 {
				continue
			}
			decided = true
			if err := sheet.Decide(q.ID, d); err != nil {
				return err
			}
		}
		if decided {
			return nil
		}
	}
	return sheet.Give(questions[0].ID, value)
}

// answersByID returns an object whose keys are ids of questions; nil if the value is something else.
func answersByID(value wire.Raw, questions []*question.Question) wire.Map {
	for _, q := range questions {
		if !value.Get(q.ID).IsZero() {
			var byID wire.Map
			if _, err := byID.UnmarshalMsg(value); err == nil {
				return byID
			}
		}
	}
	return nil
}

// decisionOf reads a decision: its type, and perhaps a colon and a message.
func decisionOf(text string) (d question.Decision, ok bool) {
	word, message, said := strings.Cut(text, ":")
	d.Type = question.Type(strings.ToLower(strings.TrimSpace(word)))
	if message = strings.TrimSpace(message); said {
		d.Message = &message
	}
	switch d.Type {
	case question.Approve, question.Reject, question.Respond, question.Retry, question.Skip:
		return d, true
	default:
		return d, false
	}
}
