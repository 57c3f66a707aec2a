package question

import (
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi/wire"
)

// check reports an answer that the asker would refuse, as far as the question shows.
func (q *Question) check(answer wire.Raw) error {
	if answer.IsNil() {
		return errors.New("null is not an answer")
	}
	switch q.Kind {
	case Review:
		return q.checkDecisions(answer)
	case Approval, Unfinished:
		return q.Calls[0].checkValue(answer)
	default:
		return nil
	}
}

func (q *Question) checkDecisions(answer wire.Raw) error {
	decisions, ok := fields(answer).Get("decisions").Items()
	if !ok {
		return fmt.Errorf(`it must be {"decisions": […]} with a decision about each of the %d calls, such as {"type": "approve"}`, len(q.Calls))
	}
	if len(decisions) != len(q.Calls) {
		return fmt.Errorf("it has %d decisions, and %d calls are asked about: %s, in this order", len(decisions), len(q.Calls), refs(q.Calls))
	}
	for i, c := range q.Calls {
		if err := c.checkValue(decisions[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkValue checks a decision in the asker's format.
func (c *Call) checkValue(decision wire.Raw) error {
	given := fields(decision)
	name, ok := given.Get("type").AsString()
	if !ok {
		return fmt.Errorf(`%s: a decision has a type, such as {"type": "%s"}; found %s`, c.subject(), c.Allowed[0], decision.JSON())
	}
	d := Decision{Type: Type(name)}
	if text, ok := given.Get("message").AsString(); ok {
		d.Message = &text
	}
	if d.Type == Edit {
		d.Args = fields(given.Get("edited_action")).Get("args")
		if edited, _ := fields(given.Get("edited_action")).Get("name").AsString(); edited != c.Name {
			return c.checkOther(d, edited)
		}
	}
	return c.Check(d)
}

// checkOther checks an edit that replaces the call by one of another tool. The asker decides whether that is allowed.
func (c *Call) checkOther(d Decision, tool string) error {
	if tool == "" {
		return fmt.Errorf(`%s: an edit needs {"edited_action": {"name": "%s", "args": {…}}}`, c.subject(), c.Name)
	}
	other := &Call{Ref: c.Ref, Name: c.Name, Allowed: c.Allowed}
	return other.Check(d)
}
