package host

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// Answer answers an interrupt.
type Answer struct {
	Interrupt string // id of the interrupt; "" if only one is waiting
	Value     any    // a value that [Encode] accepts; nil is not an answer
	By        string // the person who answers, for the thread's history; "" if unknown
}

// question is an interrupt of the present step, with its answer once it has one.
type question struct{ checkpoint.Question }

func (q *question) waits() bool { return q.Answer.IsZero() }

// questions are the interrupts that the present step has asked. They are the only record of who waits for which answer.
type questions struct {
	asked []question
	given wire.Map // the answers of this run's input, by the ids of the questions
}

// MaxInterrupts is how many interrupts a hook or a tool may ask at once.
const MaxInterrupts = 64

// checkInterrupts refuses interrupts that could not be answered one by one.
func checkInterrupts(interrupts []abi.Interrupt) error {
	if len(interrupts) > MaxInterrupts {
		return fmt.Errorf("it asks %d interrupts at once; at most %d are allowed", len(interrupts), MaxInterrupts)
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

// interruptOr records the interrupts that err carries and returns nil; it returns any other error as it is.
func (r *run) interruptOr(step string, call *abi.ToolCall, err error) error {
	interrupt, ok := asInterrupt(err)
	if !ok {
		return err
	}
	if interrupt.step != "" {
		step = interrupt.step
	}
	if err := checkInterrupts(interrupt.Interrupts); err != nil {
		return &HookError{Step: step, Err: err}
	}
	about := checkpoint.Question{Step: step, CallID: callID(call), Nested: interrupt.nested}
	if call != nil {
		about.Message = r.state.asking()
	}
	r.questions.ask(about, interrupt.Interrupts, &r.ids)
	return nil
}

// ask records the interrupts of one hook or tool call, which about describes. They replace its earlier questions, because it
// ran again from its start. A repeated question keeps its id; if it was answered, the answer did not suffice, and it waits
// again.
func (qs *questions) ask(about checkpoint.Question, interrupts []abi.Interrupt, ids *idSource) {
	before := qs.asked
	qs.asked = nil
	for i := range before {
		q := before[i]
		if q.CallID == about.CallID {
			q.Fresh = false
			if q.waits() {
				continue
			}
		}
		qs.asked = append(qs.asked, q)
	}
	for i := range interrupts {
		asked := question{about}
		asked.Key, asked.Value = interrupts[i].Key, interrupts[i].Value
		same := func(q question) bool {
			return q.Step == asked.Step && q.CallID == asked.CallID && q.Nested == asked.Nested && q.Key == asked.Key
		}
		if at := slices.IndexFunc(before, same); at >= 0 {
			asked.ID = before[at].ID
			qs.asked = slices.DeleteFunc(qs.asked, same)
		} else {
			asked.ID = ids.next("ask-")
		}
		qs.asked = append(qs.asked, asked)
	}
}

func callID(call *abi.ToolCall) string {
	if call == nil {
		return ""
	}
	return call.ID
}

// clear forgets all questions: the step that asked them is done.
func (qs *questions) clear() { qs.asked = nil }

// clearCalls forgets the questions of the tool calls that are done.
func (qs *questions) clearCalls(done func(call string) bool) {
	qs.asked = slices.DeleteFunc(qs.asked, func(q question) bool { return done(q.CallID) })
}

// wait reports whether any question waits for an answer.
func (qs *questions) wait() bool {
	return slices.ContainsFunc(qs.asked, func(q question) bool { return q.waits() })
}

// waiting returns the questions that wait for an answer.
func (qs *questions) waiting() []Interrupt {
	var out []Interrupt
	for i := range qs.asked {
		if q := &qs.asked[i]; q.waits() {
			out = append(out, Interrupt{ID: q.ID, Step: q.Step, CallID: q.CallID, Key: q.Key, Value: q.Value})
		}
	}
	return out
}

// block reports whether the step, or with an id the tool call in it, has an open question and no new answer: it would only
// ask the same again.
func (qs *questions) block(call string) bool {
	waits := false
	for i := range qs.asked {
		q := &qs.asked[i]
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

// answersTo returns the answers to the questions of a hook or tool, by key. nested is the id of the call that a hook or tool
// made inside the model's call.
func (qs *questions) answersTo(step, call, nested string) wire.Map {
	var out wire.Map
	for i := range qs.asked {
		if q := &qs.asked[i]; !q.waits() && q.Step == step && q.CallID == call && q.Nested == nested {
			out.Set(q.Key, q.Answer)
		}
	}
	return out
}

// answer gives answers to questions: to all that are named or, with an error, to none. A question that was answered, and whose
// step failed afterwards, may be answered again.
func (qs *questions) answer(answers []Answer, now time.Time) error {
	switch {
	case len(answers) == 0:
		return errors.New("the input's Resume has no answers; use Continue to go on without any")
	case len(qs.asked) == 0:
		return ErrNotWaiting
	}
	var given wire.Map // by id
	by := map[string]string{}
	for _, a := range answers {
		q, err := qs.meant(a.Interrupt)
		if err != nil {
			return err
		}
		value, err := Encode(a.Value)
		switch {
		case err != nil:
			return fmt.Errorf("the answer to %s: %w", q.ID, err)
		case value.IsNil():
			return fmt.Errorf("the answer to %s is nil; give a value", q.ID)
		case tooDeep(value):
			return fmt.Errorf("the answer to %s is refused: %s", q.ID, tooDeepText)
		case given.Has(q.ID):
			return fmt.Errorf("%s is answered twice", q.ID)
		}
		if isCutOffQuestion(q.Key) {
			if _, err := decodeCutOffDecision(value); err != nil {
				return fmt.Errorf("the answer to %s: %w", q.ID, err)
			}
		}
		if q.Key == clientCallKey {
			if _, err := readClientResult(value); err != nil {
				return fmt.Errorf("the answer to %s: %w", q.ID, err)
			}
		}
		given.Set(q.ID, value)
		by[q.ID] = a.By
	}
	for i := range qs.asked {
		if q := &qs.asked[i]; given.Has(q.ID) {
			q.Answer, q.Fresh, q.AnsweredBy, q.AnsweredAt = given.Get(q.ID), true, by[q.ID], now.UnixMilli()
		}
	}
	qs.given = given
	return nil
}

// meant finds the question that an answer is for.
func (qs *questions) meant(id string) (*question, error) {
	if id == "" {
		return qs.only()
	}
	for i := range qs.asked {
		if q := &qs.asked[i]; q.ID == id {
			return q, nil
		}
	}
	return nil, fmt.Errorf("there is no interrupt %s; it has %s", strconv.Quote(id), qs.ids())
}

// only returns the question that an answer without an id is for: the one that waits or, if none does, the only one.
func (qs *questions) only() (*question, error) {
	if len(qs.asked) == 1 {
		return &qs.asked[0], nil
	}
	var only *question
	for i := range qs.asked {
		switch q := &qs.asked[i]; {
		case !q.waits():
		case only != nil:
			return nil, errors.New("several interrupts wait; the answer must name one of " + qs.ids())
		default:
			only = q
		}
	}
	if only == nil {
		return nil, errors.New("all interrupts are answered; to correct an answer, name one of " + qs.ids())
	}
	return only, nil
}

func (qs *questions) ids() string {
	ids := make([]string, len(qs.asked))
	for i := range qs.asked {
		ids[i] = qs.asked[i].ID
	}
	slices.Sort(ids)
	return strings.Join(ids, ", ")
}
