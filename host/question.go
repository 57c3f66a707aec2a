package host

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// Answer answers an interrupt.
type Answer struct {
	Interrupt string // the id of the interrupt; "" if only one waits
	Value     any    // as [Encode] takes it; nil is no answer
}

// question is an interrupt of the present step, with its answer when it has one.
type question struct {
	checkpoint.Question
	fresh bool // answered by this run's input
}

func (q *question) waits() bool { return q.Answer.IsZero() }

// ask notes the interrupts that a hook or tool returned. One that was asked before keeps its id; if it was answered, the
// answer did not do, and it waits again.
func (r *run) ask(step string, call *abi.ToolCall, err *InterruptError) {
	if err.step != "" {
		step = err.step
	}
	for i := range err.Interrupts {
		asked := &err.Interrupts[i]
		q := r.asked(step, callID(call), asked.Key)
		if q == nil {
			r.questions = append(r.questions, question{Question: checkpoint.Question{
				ID: r.ids.next("ask-"), Step: step, CallID: callID(call), Key: asked.Key,
			}})
			q = &r.questions[len(r.questions)-1]
		}
		q.Value, q.Answer, q.fresh = asked.Value, nil, false
	}
}

func callID(call *abi.ToolCall) string {
	if call == nil {
		return ""
	}
	return call.ID
}

func (r *run) asked(step, call, key string) *question {
	for i := range r.questions {
		if q := &r.questions[i]; q.Step == step && q.CallID == call && q.Key == key {
			return q
		}
	}
	return nil
}

// waits reports whether the run waits for an answer.
func (r *run) waits() bool {
	return slices.ContainsFunc(r.questions, func(q question) bool { return q.waits() })
}

// interrupts returns what an interrupted run waits for. One that failed waits for nothing.
func (r *run) interrupts(failure error) []Interrupt {
	if failure != nil {
		return nil
	}
	var out []Interrupt
	for i := range r.questions {
		if q := &r.questions[i]; q.waits() {
			out = append(out, Interrupt{ID: q.ID, Step: q.Step, CallID: q.CallID, Key: q.Key, Value: q.Value})
		}
	}
	return out
}

// answered returns the answers of the run's input, by the ids of the interrupts.
func (r *run) answered() wire.Map {
	var out wire.Map
	for i := range r.questions {
		if q := &r.questions[i]; q.fresh {
			out.Set(q.ID, q.Answer)
		}
	}
	return out
}

// waitsOn reports whether the step, or the tool call in it, has asked something and knows no more than it did then: it
// would only ask again.
func (r *run) waitsOn(call string) bool {
	waits := false
	for i := range r.questions {
		q := &r.questions[i]
		if call != "" && q.CallID != call {
			continue
		}
		if q.fresh {
			return false
		}
		waits = waits || q.waits()
	}
	return waits
}

// answersTo returns the answers to what a hook or tool has asked.
func (r *run) answersTo(step, call string) wire.Map {
	var out wire.Map
	for i := range r.questions {
		if q := &r.questions[i]; !q.waits() && q.Step == step && q.CallID == call {
			out.Set(q.Key, q.Answer)
		}
	}
	return out
}

// answer gives answers to questions. One that was answered, and whose step failed then, may be answered anew.
func (r *run) answer(answers []Answer) error {
	if len(r.questions) == 0 {
		return ErrNotWaiting
	}
	for _, a := range answers {
		q, err := r.meant(a.Interrupt)
		if err != nil {
			return err
		}
		value, err := Encode(a.Value)
		if err != nil {
			return fmt.Errorf("the answer to %s: %w", q.ID, err)
		}
		if value.IsNil() {
			return fmt.Errorf("the answer to %s is nil, which is none", q.ID)
		}
		if q.fresh {
			return fmt.Errorf("%s is answered twice", q.ID)
		}
		q.Answer, q.fresh = value, true
	}
	return nil
}

// meant finds the question that an answer is for.
func (r *run) meant(id string) (*question, error) {
	if id == "" {
		return r.onlyQuestion()
	}
	for i := range r.questions {
		if q := &r.questions[i]; q.ID == id {
			return q, nil
		}
	}
	return nil, fmt.Errorf("there is no interrupt %s; it has %s", strconv.Quote(id), r.questionIDs())
}

// onlyQuestion is the one that waits or, if none does, the one that was asked.
func (r *run) onlyQuestion() (*question, error) {
	if len(r.questions) == 1 {
		return &r.questions[0], nil
	}
	var only *question
	for i := range r.questions {
		switch q := &r.questions[i]; {
		case !q.waits():
		case only != nil:
			return nil, errors.New("several interrupts wait; the answer must name one of " + r.questionIDs())
		default:
			only = q
		}
	}
	if only == nil {
		return nil, errors.New("all interrupts are answered; the answer must name the one that it corrects, of " + r.questionIDs())
	}
	return only, nil
}

func (r *run) questionIDs() string {
	ids := make([]string, len(r.questions))
	for i := range r.questions {
		ids[i] = r.questions[i].ID
	}
	slices.Sort(ids)
	return strings.Join(ids, ", ")
}
