package a2a

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/runs"
)

// historyOfNone is for questions whose messages are not needed.
var historyOfNone history.List

func fromJSON(text []byte) (wire.Raw, error) {
	if len(text) == 0 {
		return wire.Raw{}, nil
	}
	return wire.FromJSON(text, wire.Limits{})
}

// resume is the text that goes on with a task at a breakpoint.
const resume = "continue"

// answer fills in the answers to the questions of a task that a message has. A message that does not say clearly what is decided decides nothing.
func (t *task) answer(m *a2a.Message, by string, to *runs.Task) error {
	questions := t.questions()
	if len(questions) == 0 {
		if strings.EqualFold(strings.TrimSpace(textOfMessage(m)), resume) {
			to.Continue = true
			return nil
		}
		return invalid("the agent has stopped at a breakpoint; send the text %q, or a message without taskId for something new", resume)
	}
	sheet := question.NewSheet(questions)
	var err error
	if data, ok := dataOf(m); ok {
		err = give(sheet, questions, data)
	} else {
		err = decide(sheet, questions, textOfMessage(m))
	}
	if err != nil {
		return invalid("%v", err)
	}
	answers, err := sheet.Answers(by)
	if err != nil {
		return invalid("%v", err)
	}
	if len(answers) < len(questions) {
		return invalid("the agent asks %d things, and the message answers %d; send a data part with an answer to each: {\"answers\": {id: answer}}",
			len(questions), len(answers))
	}
	for i := range answers {
		value, err := wire.Of(answers[i].Value)
		if err != nil {
			return invalid("the answer to %s cannot be used: %v", answers[i].Interrupt, err)
		}
		to.Answers = append(to.Answers, runs.Answer{Interrupt: answers[i].Interrupt, Value: value, By: by})
	}
	return nil
}

// textOfMessage returns the texts of a message.
func textOfMessage(m *a2a.Message) string {
	var texts []string
	for _, part := range m.Parts {
		if text := part.Text(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// dataOf returns the first data part of a message.
func dataOf(m *a2a.Message) (json.RawMessage, bool) {
	for _, part := range m.Parts {
		if data, ok := part.Content.(a2a.Data); ok {
			text, err := json.Marshal(data.Value)
			return text, err == nil
		}
	}
	return nil, false
}

// give reads a data part: {"answers": {id: answer}}, or the answer to the only question, in the asker's format.
func give(sheet *question.Sheet, questions []*question.Question, data json.RawMessage) error {
	var byID struct {
		Answers map[string]json.RawMessage `json:"answers"`
	}
	if json.Unmarshal(data, &byID) == nil && byID.Answers != nil {
		for id, text := range byID.Answers {
			value, err := fromJSON(text)
			if err != nil {
				return err
			}
			if err := sheet.Give(id, value); err != nil {
				return err
			}
		}
		return nil
	}
	if len(questions) != 1 {
		return invalid("the agent asks %d things; say which answer is for which: {\"answers\": {id: answer}}", len(questions))
	}
	value, err := fromJSON(data)
	if err != nil {
		return err
	}
	return sheet.Give(questions[0].ID, value)
}

// decide reads a text: the answer to the only question or, if that is about tool calls, a decision such as "approve" or "reject: the reason".
func decide(sheet *question.Sheet, questions []*question.Question, text string) error {
	if len(questions) != 1 {
		return invalid("the agent asks %d things, which no text can answer; send a data part: {\"answers\": {id: answer}}", len(questions))
	}
	q := questions[0]
	if q.Kind == question.Other {
		return sheet.Decide(q.ID, question.Decision{Type: question.Respond, Message: &text})
	}
	word, rest, found := strings.Cut(text, ":")
	d := question.Decision{Type: question.Type(strings.ToLower(strings.TrimSpace(word)))}
	if rest = strings.TrimSpace(rest); found && rest != "" {
		d.Message = &rest
	}
	known := d.Type != question.Edit && slices.ContainsFunc(q.Calls, func(c *question.Call) bool { return slices.Contains(c.Allowed, d.Type) })
	if !known {
		return invalid("%.100q is not a decision; send one of: %s. A decision to edit needs a data part", text, words(q.Calls[0]))
	}
	return sheet.Decide(q.ID, d)
}

// words returns the decisions about a call, as a text can make them.
func words(c *question.Call) string {
	var out []string
	for _, t := range c.Allowed {
		switch {
		case t == question.Edit: // by data
		case t == question.Respond:
			out = append(out, string(t)+": RESULT")
		case t.TakesMessage():
			out = append(out, string(t)+": REASON")
		default:
			out = append(out, string(t))
		}
	}
	return strings.Join(out, ", ")
}
