package host

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// Answer answers an interrupt.
type Answer struct {
	Interrupt string // the id of the interrupt; "" if only one waits
	Value     any    // as [Encode] takes it; nil is no answer
	By        string // who answers, for the thread's history; "" if that is not known
}

// question is an interrupt of the present step, with its answer when it has one.
type question struct{ checkpoint.Question }

func (q *question) waits() bool { return q.Answer.IsZero() }

// MaxInterrupts is how many interrupts a hook or a tool may ask at once.
const MaxInterrupts = 64

// checkInterrupts refuses interrupts that could not be answered one by one.
func checkInterrupts(interrupts []abi.Interrupt) error {
	if len(interrupts) > MaxInterrupts {
		return fmt.Errorf("it asks %d interrupts at once; %d are allowed", len(interrupts), MaxInterrupts)
	}
	for i := range interrupts {
		if !utf8.ValidString(interrupts[i].Key) {
			return fmt.Errorf("the key %q of an interrupt is not UTF-8", interrupts[i].Key)
		}
		if err := checkValue(interrupts[i].Value); err != nil {
			return fmt.Errorf("the value of the interrupt %q cannot be kept: %w", interrupts[i].Key, err)
		}
		if slices.ContainsFunc(interrupts[:i], func(other abi.Interrupt) bool { return other.Key == interrupts[i].Key }) {
			return fmt.Errorf("two interrupts have the key %q", interrupts[i].Key)
		}
	}
	return nil
}

// ask notes the interrupts that a hook or tool returned. They replace what it waited for, since it ran again from its
// start. One that was asked before keeps its id; if it was answered, the answer did not do, and it waits again.
func (r *run) ask(step string, call *abi.ToolCall, err *InterruptError) error {
	if err.step != "" {
		step = err.step
	}
	if err := checkInterrupts(err.Interrupts); err != nil {
		return &HookError{Step: step, Err: err}
	}
	id := callID(call)
	before := r.questions
	r.questions = nil
	for i := range before {
		q := before[i]
		if q.CallID == id {
			q.Fresh = false
			if q.waits() {
				continue
			}
		}
		r.questions = append(r.questions, q)
	}
	for i := range err.Interrupts {
		key := err.Interrupts[i].Key
		asked := question{checkpoint.Question{Step: step, CallID: id, Nested: err.nested, Key: key, Value: err.Interrupts[i].Value}}
		if call != nil {
			asked.Message = r.asking()
		}
		same := func(q question) bool {
			return q.Step == step && q.CallID == id && q.Nested == err.nested && q.Key == key
		}
		if at := slices.IndexFunc(before, same); at >= 0 {
			asked.ID = before[at].ID
			r.questions = slices.DeleteFunc(r.questions, same)
		} else {
			asked.ID = r.ids.next("ask-")
		}
		r.questions = append(r.questions, asked)
	}
	return nil
}

func callID(call *abi.ToolCall) string {
	if call == nil {
		return ""
	}
	return call.ID
}

// waits reports whether the run waits for an answer.
func (r *run) waits() bool {
	return slices.ContainsFunc(r.questions, func(q question) bool { return q.waits() })
}

// interrupts returns what waits for an answer.
func (r *run) interrupts() []Interrupt {
	var out []Interrupt
	for i := range r.questions {
		if q := &r.questions[i]; q.waits() {
			out = append(out, Interrupt{ID: q.ID, Step: q.Step, CallID: q.CallID, Key: q.Key, Value: q.Value})
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
		if q.Fresh {
			return false
		}
		waits = waits || q.waits()
	}
	return waits
}

// answersTo returns the answers to what a hook or tool has asked; nested is the id of a call inside of the call.
func (r *run) answersTo(step, call, nested string) wire.Map {
	var out wire.Map
	for i := range r.questions {
		if q := &r.questions[i]; !q.waits() && q.Step == step && q.CallID == call && q.Nested == nested {
			out.Set(q.Key, q.Answer)
		}
	}
	return out
}

// answer gives answers to questions: to all that are named or, with an error, to none. One that was answered, and whose
// step failed then, may be answered anew.
func (r *run) answer(answers []Answer) error {
	switch {
	case len(answers) == 0:
		return errors.New("the input's Resume has no answers; use Continue to go on without any")
	case len(r.questions) == 0:
		return ErrNotWaiting
	}
	var given wire.Map // by id
	by := map[string]string{}
	for _, a := range answers {
		q, err := r.meant(a.Interrupt)
		if err != nil {
			return err
		}
		value, err := Encode(a.Value)
		switch {
		case err != nil:
			return fmt.Errorf("the answer to %s: %w", q.ID, err)
		case value.IsNil():
			return fmt.Errorf("the answer to %s is nil, which is none", q.ID)
		case given.Has(q.ID):
			return fmt.Errorf("%s is answered twice", q.ID)
		}
		if isUnfinished(q.Key) {
			if _, err := decodeRecovery(value); err != nil {
				return fmt.Errorf("the answer to %s: %w", q.ID, err)
			}
		}
		given.Set(q.ID, value)
		by[q.ID] = a.By
	}
	now := r.agent.now().UnixMilli()
	for i := range r.questions {
		if q := &r.questions[i]; given.Has(q.ID) {
			q.Answer, q.Fresh, q.AnsweredBy, q.AnsweredAt = given.Get(q.ID), true, by[q.ID], now
		}
	}
	r.answers = given
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
