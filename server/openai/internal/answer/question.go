package answer

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/question"
)

// askedIn returns what a run asks: questions, and calls of tools of the client.
func askedIn(interrupts []host.Interrupt) (questions []*question.Question, calls []host.ClientCall) {
	var stored []checkpoint.Question
	for i := range interrupts {
		one := &interrupts[i]
		if call, ok := one.ClientCall(); ok {
			calls = append(calls, call)
			continue
		}
		stored = append(stored, checkpoint.Question{ID: one.ID, Step: one.Step, CallID: one.CallID, Key: one.Key, Value: one.Value})
	}
	return question.Read(stored, history.List{}), calls
}

// Asked returns the questions as a text for the person who answers; "" if there are none.
func (a *Answer) Asked() string {
	var parts []string
	for _, q := range a.Questions {
		if len(q.Calls) == 0 {
			parts = append(parts, textOf(q))
		}
		for _, c := range q.Calls {
			parts = append(parts, textOfCall(c))
		}
	}
	return strings.Join(parts, Gap)
}

// textOf returns a question of unknown format: its text, or its value in JSON.
func textOf(q *question.Question) string {
	if text, ok := q.Value.AsString(); ok {
		return text
	}
	for _, key := range []string{"question", "message", "text"} {
		if text, ok := q.Value.Get(key).AsString(); ok {
			return text
		}
	}
	return q.Value.JSON()
}

func textOfCall(c *question.Call) string {
	allowed := make([]string, len(c.Allowed))
	for i, t := range c.Allowed {
		allowed[i] = string(t)
	}
	about := ""
	if said := c.About(); said != "" {
		about = said + "\n"
	}
	return fmt.Sprintf("%s%s %s waits for a decision: %s", about, c.Name, c.Args.JSON(), strings.Join(allowed, ", "))
}
