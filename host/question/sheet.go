package question

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// Sheet collects a person's answers to the questions of a thread. They have no effect until a run is resumed with them.
type Sheet struct {
	questions []*Question
	decisions map[*Call]Decision
	forAll    map[*Question]Decision // about the calls of a question without a decision of their own
	values    map[*Question]wire.Raw // answers in the asker's format
}

// NewSheet returns an empty sheet. Questions that have an answer may be answered again, to correct an unsuitable one.
func NewSheet(questions []*Question) *Sheet {
	return &Sheet{
		questions: questions, decisions: map[*Call]Decision{}, forAll: map[*Question]Decision{}, values: map[*Question]wire.Raw{},
	}
}

// Decide records a decision. id names a call, or the question that asks about it. If the question asks about several calls,
// the decision covers all that have none of their own.
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
			return fmt.Errorf("%s has two decisions; give one", c.subject())
		}
		if err := c.Check(d); err != nil {
			return err
		}
		s.decisions[c] = d
		return nil
	}
	if _, twice := s.forAll[q]; twice {
		return fmt.Errorf("%s has two decisions; give one", q.ID)
	}
	if d.Type == Edit || d.Type == Respond {
		return fmt.Errorf("%s asks about %d calls, and %s is about one of them: name it by %s", q.ID, len(q.Calls), d.Type, refs(q.Calls))
	}
	s.forAll[q] = d
	return nil
}

// respond answers a question that is not about a tool call, with a value that [ParseValue] reads.
func (s *Sheet) respond(q *Question, d Decision) error {
	if d.Type != Respond || d.Message == nil {
		return fmt.Errorf("%s (%s) asks for no decision about a tool call; give it an answer by respond, with a message", q.ID, q.Key)
	}
	s.values[q] = ParseValue(*d.Message)
	return nil
}

// ParseValue reads a typed answer to a question of unknown format: JSON or, failing that, plain text.
func ParseValue(text string) wire.Raw {
	if value, err := wire.FromJSON([]byte(text), wire.Limits{}); err == nil && !value.IsNil() {
		return value
	}
	return wire.String(text)
}

// Give records an answer in the asker's format.
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

// find returns the question that an id names, and the call: the one that the id names, or else the question's only one.
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
	return fmt.Errorf("no question or call has the id %q; there are %s", id, strings.Join(names, "; "))
}

// ErrNothingAsked reports an answer where there is no question.
var ErrNothingAsked = errors.New("nothing in the thread waits for an answer")

// refs lists the names of calls.
func refs(calls []*Call) string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.Ref
	}
	return strings.Join(names, ", ")
}

// Answers returns an answer for each question with a decision or value, in the order of the questions. A question about
// several calls needs a decision about each.
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

// decided combines the decisions about the calls of a question; the result is empty if there are none.
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
