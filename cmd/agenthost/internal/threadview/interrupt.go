package threadview

import (
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/question"
)

// Interrupt is a question of a thread, with its answer if there is one.
type Interrupt struct {
	ID         string        `json:"id"`
	Step       string        `json:"step"`
	Key        string        `json:"key"`
	CallID     string        `json:"call_id,omitempty"`
	Kind       question.Kind `json:"kind"`
	Calls      []Call        `json:"calls,omitempty"` // that the question is about
	Value      wire.Raw      `json:"value"`
	Answer     wire.Raw      `json:"answer,omitzero"`
	AnsweredBy string        `json:"answered_by,omitempty"`
	AnsweredAt time.Time     `json:"answered_at,omitzero"`
}

// Call is a tool call that needs a decision.
type Call struct {
	Ref     string          `json:"ref"` // the id for the flags of 'agenthost resume'
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name"`
	Args    wire.Raw        `json:"args"`
	Allowed []question.Type `json:"allowed_decisions"`
}

func interruptsOf(questions []*question.Question) []Interrupt {
	out := make([]Interrupt, len(questions))
	for i, q := range questions {
		out[i] = Interrupt{
			ID: q.ID, Step: q.Step, Key: q.Key, CallID: q.CallID, Kind: q.Kind, Value: q.Value,
			Answer: q.Answer, AnsweredBy: q.By, AnsweredAt: q.At,
		}
		for _, c := range q.Calls {
			out[i].Calls = append(out[i].Calls, Call{Ref: c.Ref, ID: c.ID, Name: c.Name, Args: c.Args, Allowed: c.Allowed})
		}
	}
	return out
}
