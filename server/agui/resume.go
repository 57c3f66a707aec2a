package agui

import (
	"encoding/json"
	"errors"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/runs"
)

// The statuses of answers.
const (
	resolved  = "resolved"
	cancelled = "cancelled"
)

// entries returns the answers of a client, also those that CopilotKit's clients forward as the answer to the only question or by the ids of the
// questions.
func (in *runAgentInput) entries(f *forwarded, questions []*question.Question) ([]resumeEntry, error) {
	if in.Resume != nil && len(*in.Resume) > 0 {
		return *in.Resume, nil
	}
	if f.Command == nil || !given(f.Command.Resume) {
		return nil, nil
	}
	value := f.Command.Resume
	var text string
	if json.Unmarshal(value, &text) == nil && json.Valid([]byte(text)) {
		value = json.RawMessage(text) // a client may encode its answer
	}
	var byID map[string]json.RawMessage
	if json.Unmarshal(value, &byID) == nil && len(byID) > 0 {
		var out []resumeEntry
		for id, one := range byID {
			if !interruptID().MatchString(id) {
				out = nil
				break
			}
			out = append(out, resumeEntry{id, resolved, one})
		}
		if out != nil {
			return out, nil
		}
	}
	if len(questions) != 1 {
		return nil, unprocessable("forwardedProps.command.resume is one answer, and %d questions wait; use resume, or an object with the answers "+
			"by the ids of the interrupts", len(questions))
	}
	return []resumeEntry{{questions[0].ID, resolved, value}}, nil
}

// interruptID is the form of the ids of interrupts.
var interruptID = lazyregexp.New(`^ask-[0-9a-f]+-[0-9]+$`)

// answersOf returns the answers to questions. Each must be one that the asker takes, since nobody may believe to have decided something that was not.
func answersOf(entries []resumeEntry, questions []*question.Question, by string) ([]runs.Answer, error) {
	sheet := question.NewSheet(questions)
	for _, e := range entries {
		if err := e.fill(sheet, questions); err != nil {
			return nil, err
		}
	}
	given, err := sheet.Answers(by)
	if err != nil {
		return nil, unprocessable("%v", err)
	}
	out := make([]runs.Answer, 0, len(given))
	for _, a := range given {
		value, ok := a.Value.(wire.Raw)
		if !ok {
			return nil, errors.New("an answer has no encoded value") // the sheet encodes all
		}
		out = append(out, runs.Answer{Interrupt: a.Interrupt, Value: value, By: by})
	}
	return out, nil
}

// fill records the answer.
func (e *resumeEntry) fill(sheet *question.Sheet, questions []*question.Question) error {
	var q *question.Question
	for _, one := range questions {
		if one.ID == e.Interrupt {
			q = one
		}
	}
	switch {
	case q == nil:
		return unprocessable("no interrupt %.64q waits for an answer; it was answered, or its run was given up", e.Interrupt)
	case e.Status == cancelled:
		return refuse(sheet, q)
	case e.Status != resolved:
		return unprocessable("the status of the answer to %s is %.64q; use resolved or cancelled", q.ID, e.Status)
	case !given(e.Payload):
		return unprocessable("the answer to %s has no payload", q.ID)
	}
	if approved, ok := yesNo(e.Payload); ok && len(q.Calls) > 0 {
		if approved {
			return decide(sheet, q, question.Approve, question.Retry)
		}
		return refuse(sheet, q)
	}
	value, err := wire.FromJSON(e.Payload, wire.Limits{})
	if err == nil {
		err = sheet.Give(q.ID, value)
	}
	if err != nil {
		return unprocessable("the answer to %s: %v", q.ID, err)
	}
	return nil
}

// yesNo reads {"approved": true}, as AG-UI's clients answer a question about calls.
func yesNo(payload json.RawMessage) (approved, ok bool) {
	var answer map[string]json.RawMessage
	if json.Unmarshal(payload, &answer) != nil || len(answer) != 1 {
		return false, false
	}
	ok = answer["approved"] != nil && json.Unmarshal(answer["approved"], &approved) == nil && string(answer["approved"]) != "null"
	return approved, ok
}

// refuse answers a question in such a way that nothing happens of what it asks about.
func refuse(sheet *question.Sheet, q *question.Question) error {
	if len(q.Calls) > 0 {
		return decide(sheet, q, question.Reject, question.Skip)
	}
	value := wire.Map{{Key: "__agui_cancelled__", Value: wire.Bool(true)}, {Key: "interrupt_id", Value: wire.String(q.ID)}}
	if err := sheet.Give(q.ID, value.Raw()); err != nil {
		return unprocessable("the answer to %s: %v", q.ID, err)
	}
	return nil
}

// decide decides about all calls of a question: in one way about calls that have not begun, in another about one that was cut off.
func decide(sheet *question.Sheet, q *question.Question, fresh, cutOff question.Type) error {
	way := fresh
	if q.Kind == question.Unfinished {
		way = cutOff
	}
	if err := sheet.Decide(q.ID, question.Decision{Type: way}); err != nil {
		return unprocessable("the answer to %s: %v", q.ID, err)
	}
	return nil
}
