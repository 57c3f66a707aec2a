package question

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// Sheet collects what a person answers to the questions of a thread. Nothing of it is done until a run is resumed with the
// answers.
type Sheet struct {
	questions []*Question
	decisions map[*Call]Decision
	forAll    map[*Question]Decision // about the calls of a question that have none of their own
	values    map[*Question]wire.Raw // answers in the form of the asker
}

// NewSheet returns an empty sheet. Questions that have an answer may be answered anew: it corrects one that would not do.
func NewSheet(questions []*Question) *Sheet {
	return &Sheet{
		questions: questions, decisions: map[*Call]Decision{}, forAll: map[*Question]Decision{}, values: map[*Question]wire.Raw{},
	}
}

// Decide notes a decision about a call: id names it, or the question that asks about it. If that asks about several calls
// the decision is one about all of them that are not decided by themselves.
func (s *Sheet) Decide(id string, d Decision) error {
	q, c, err := s.find(id)
	if err != nil {
		return err
	}
	_, answered := s.values[q]
	switch {
	case answered:
		return fmt.Errorf("%s is answered already, as a whole", q.ID)
	case q.Kind == Other:
		return s.respond(q, d)
	case c != nil:
		if _, twice := s.decisions[c]; twice {
			return fmt.Errorf("%s is decided twice", c.subject())
		}
		if err := c.Check(d); err != nil {
			return err
		}
		s.decisions[c] = d
		return nil
	}
	if _, twice := s.forAll[q]; twice {
		return fmt.Errorf("%s is decided twice", q.ID)
	}
	if d.Type == Edit || d.Type == Respond {
		return fmt.Errorf("%s asks about %d calls, and %s is about one of them: name it by %s", q.ID, len(q.Calls), d.Type, refs(q.Calls))
	}
	s.forAll[q] = d
	return nil
}

// respond answers a question that is about no tool call: with a value as [ParseValue] reads it.
func (s *Sheet) respond(q *Question, d Decision) error {
	if d.Type != Respond || d.Message == nil {
		return fmt.Errorf("%s (%s) asks for no decision about a tool call; give it an answer by respond, with a message", q.ID, q.Key)
	}
	s.values[q] = ParseValue(*d.Message)
	return nil
}

// ParseValue reads what a person types in answer to a question of no known kind: JSON or, if it is none, a text.
func ParseValue(text string) wire.Raw {
	if value, err := wire.FromJSON([]byte(text), wire.Limits{}); err == nil && !value.IsNil() {
		return value
	}
	return wire.String(text)
}

// Give notes an answer in the form that the asker wants.
func (s *Sheet) Give(id string, value wire.Raw) error {
	at := slices.IndexFunc(s.questions, func(q *Question) bool { return q.ID == id })
	if at < 0 {
		return s.unknown(id)
	}
	q := s.questions[at]
	if _, decided := s.forAll[q]; decided || slices.ContainsFunc(q.Calls, func(c *Call) bool { _, ok := s.decisions[c]; return ok }) {
		return fmt.Errorf("%s is decided already, call by call", id)
	}
	if _, twice := s.values[q]; twice {
		return fmt.Errorf("%s is answered twice", id)
	}
	if err := q.check(value); err != nil {
		return fmt.Errorf("the answer to %s: %w", id, err)
	}
	s.values[q] = value
	return nil
}

// find finds what an id names: a question with its only call, or with none if it asks about none or several.
func (s *Sheet) find(id string) (q *Question, c *Call, err error) {
	var found []*Question
	for _, asked := range s.questions {
		for i, call := range asked.Calls {
			switch {
			case call.Ref == id || fmt.Sprintf("%s/%d", asked.ID, i+1) == id:
				return asked, call, nil
			case call.ID == id:
				found, q, c = append(found, asked), asked, call
			}
		}
		if asked.ID == id {
			if len(asked.Calls) == 1 {
				return asked, asked.Calls[0], nil
			}
			return asked, nil, nil
		}
		if asked.Kind == Other && asked.CallID == id && id != "" {
			found, q, c = append(found, asked), asked, nil
		}
	}
	switch len(found) {
	case 1:
		return q, c, nil
	case 0:
		return nil, nil, s.unknown(id)
	default:
		ids := make([]string, len(found))
		for i := range found {
			ids[i] = found[i].ID
		}
		return nil, nil, fmt.Errorf("several questions are about %q; name one of them by %s", id, strings.Join(ids, ", "))
	}
}

func (s *Sheet) unknown(id string) error {
	if len(s.questions) == 0 {
		return fmt.Errorf("%q: %w", id, ErrNothingAsked)
	}
	var names []string
	for _, q := range s.questions {
		name := q.ID
		if len(q.Calls) > 0 {
			name += " (about " + refs(q.Calls) + ")"
		}
		names = append(names, name)
	}
	return fmt.Errorf("nothing that is asked has the id %q; there are %s", id, strings.Join(names, "; "))
}

// ErrNothingAsked is an answer where there is no question.
var ErrNothingAsked = errors.New("nothing in the thread waits for an answer")

// refs names calls.
func refs(calls []*Call) string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.Ref
	}
	return strings.Join(names, ", ")
}

// Answers returns the answers to all questions about which something was noted, in the order in which they are asked. A
// question about several calls needs a decision about each.
func (s *Sheet) Answers(by string) ([]host.Answer, error) {
	var out []host.Answer
	for _, q := range s.questions {
		value, ok := s.values[q]
		if !ok {
			var err error
			if value, err = s.decided(q); err != nil {
				return nil, err
			}
		}
		if !value.IsZero() {
			out = append(out, host.Answer{Interrupt: q.ID, Value: value, By: by})
		}
	}
	return out, nil
}

// decided puts the decisions about the calls of a question together; none if there are none.
func (s *Sheet) decided(q *Question) (wire.Raw, error) {
	all, forAll := s.forAll[q]
	var decisions []any
	var missing []string
	for _, c := range q.Calls {
		d, ok := s.decisions[c]
		if !ok && forAll {
			if d, ok = all, true; c.Check(d) != nil {
				return nil, c.Check(d)
			}
		}
		if ok {
			decisions = append(decisions, d.value(c))
		} else {
			missing = append(missing, c.subject())
		}
	}
	switch {
	case len(decisions) == 0:
		return nil, nil
	case len(missing) > 0:
		return nil, fmt.Errorf("%s asks about %d calls at once, and needs a decision about each; missing: %s",
			q.ID, len(q.Calls), strings.Join(missing, ", "))
	case q.Kind != Review:
		raw, _ := decisions[0].(wire.Raw)
		return raw, nil
	}
	list, err := wire.Of(decisions)
	return wire.Map{{Key: "decisions", Value: list}}.Raw(), err
}
