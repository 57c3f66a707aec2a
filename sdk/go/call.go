package sdk

import (
	"errors"
	"time"

	"github.com/agenthost/agenthost/abi"
)

// AnyCall is a [Call], [ModelCall] or [ToolCall].
type AnyCall interface{ call() *Call }

// Call is one call of a hook.
type Call struct {
	read     func() []byte  // reads the input, as the host wrote it
	document []byte         // the input; nil until the hook first looks
	input    *abi.HookInput // decoded; nil until the hook first looks
	view     *abi.View      // of the messages, decoded; nil until the hook first looks, or if there are none

	host    Host
	failure error      // the error of the last Next, if the inner layers failed
	unread  *nextReply // the reply of the last Next, if the host still has it
}

func (c *Call) call() *Call { return c }

// begin begins a call.
func (c *Call) begin(read func() []byte, h Host) *Call {
	c.read, c.host = read, h
	return c
}

// raw returns the input. It is read when a hook first looks at it, so a hook that does not look pays nothing.
func (c *Call) raw() Raw {
	if c.document == nil {
		c.document = c.read()
	}
	return c.document
}

// Input returns the whole input document, which is decoded when a hook first looks at it.
func (c *Call) Input() *abi.HookInput {
	if c.input == nil {
		c.input = &abi.HookInput{}
		_, err := c.input.UnmarshalMsg(c.raw())
		understood(err)
		if c.view != nil {
			c.input.Messages = c.view
		}
		c.view = c.input.Messages
	}
	return c.input
}

// shown returns the view of the messages that the hook declared, or nil if it declared none. Most hooks look at nothing else.
func (c *Call) shown() *abi.View {
	if c.view != nil || c.input != nil {
		return c.view
	}
	rest := c.raw().Seek("messages")
	if rest == nil {
		return c.Input().Messages
	}
	c.view = &abi.View{}
	_, err := c.view.UnmarshalMsg(rest)
	understood(err)
	return c.view
}

// Run returns the id of the run.
func (c *Call) Run() string { return c.Input().Run }

// Thread returns the id of the thread; "" in a run without one.
func (c *Call) Thread() string { return c.Input().Thread }

// Step returns the name of the step, as in events.
func (c *Call) Step() string { return c.Input().Step }

// N counts the calls of this hook since the agent was built, from 1. It is for information, not for use as state.
func (c *Call) N() uint64 { return c.Input().N }

// Now returns the time of the call, in UTC. It does not advance during the call.
func (c *Call) Now() time.Time { return time.Unix(0, int64(c.Input().Now)).UTC() }

// Seed returns a number that differs from call to call. It is predictable.
func (c *Call) Seed() uint64 { return c.Input().Seed }

// Messages returns the messages that the hook declared in its spec, or none if it declared none.
func (c *Call) Messages() []Message {
	if view := c.shown(); view != nil {
		return view.Items
	}
	return nil
}

// State returns the value of a field that the hook lists in Reads. It returns a nil Raw if the field is unset,
// or too large for the input; see [Call.ReadFields].
func (c *Call) State(field string) Raw { return c.Input().State.Get(field) }

// IdempotencyKey identifies this execution of a tool. A tool passes it to the services that it calls. An execution that is
// repeated after a crash has the same key; a retry has a new one. The key is "" in hooks.
func (c *Call) IdempotencyKey() string { return c.Input().IdempotencyKey }

// Interrupt asks the outside world a question. If the question was answered, Interrupt returns the answer. Otherwise
// the hook must return the error; it runs again from its start when there is an answer. The key must be unique within
// the call.
func (c *Call) Interrupt(key string, value Raw) (Raw, error) {
	answers, err := c.InterruptAll(Map{{Key: key, Value: value}})
	return answers.Get(key), err
}

// InterruptAll asks several questions at once, by their keys. When all of them are answered, it returns the
// answers. Otherwise the error carries the open questions, and the hook must return it.
func (c *Call) InterruptAll(questions Map) (answers Map, err error) {
	var open []abi.Interrupt
	for _, q := range questions {
		if answer := c.Input().Answers.Get(q.Key); !answer.IsZero() {
			answers.Set(q.Key, answer)
		} else {
			open = append(open, abi.Interrupt{Key: q.Key, Value: q.Value})
		}
	}
	if len(open) > 0 {
		return nil, &InterruptError{open}
	}
	return answers, nil
}

// InterruptError carries questions from a hook to the host.
type InterruptError struct{ Interrupts []abi.Interrupt }

func (e *InterruptError) Error() string { return "interrupted" }

// ErrClosed is the error of Next when an interrupt is pending or the run is cancelled. The hook must then return.
var ErrClosed = errors.New("an interrupt is pending, or the run is cancelled")

// ReadFields fetches fields that the hook lists in Reads, including those that are too large for its input.
func (c *Call) ReadFields(fields ...string) (Map, error) {
	reply, err := ask[abi.StateReply](c, abi.OpStateRead, &abi.StateQuery{Fields: fields})
	if err != nil {
		return nil, err
	}
	return reply.State, nil
}

// ReadMessages fetches at most count messages of the history, starting at the index from.
func (c *Call) ReadMessages(from, count uint64) ([]Message, error) {
	reply, err := ask[abi.StateReply](c, abi.OpStateRead, &abi.StateQuery{From: from, Count: count})
	if err != nil {
		return nil, err
	}
	return reply.Items, nil
}

// Emit puts an event into the run's stream.
func (c *Call) Emit(name string, data Raw) error {
	_, err := request(c, abi.OpEventEmit, &abi.EventEmit{Name: name, Data: data})
	return err
}

// Budget returns how much this call may still use.
func (c *Call) Budget() (abi.Budget, error) {
	reply, err := ask[abi.Budget](c, abi.OpBudget, noQuery{})
	if err != nil {
		return abi.Budget{}, err
	}
	return *reply, nil
}

// accept returns the reply of a successful call, or turns its status into an error.
func accept(status abi.Status, doc []byte) ([]byte, error) {
	switch status {
	case abi.StatusOK:
		return doc, nil
	case abi.StatusFailed:
		e := &Error{}
		if _, err := e.UnmarshalMsg(doc); err != nil {
			return nil, err
		}
		return nil, e
	case abi.StatusInterrupted, abi.StatusCancelled:
		return nil, ErrClosed
	default:
		return nil, refused(status)
	}
}

// understood traps if a document of the host breaks the ABI, because a plugin cannot do anything about it.
func understood(err error) {
	if err != nil {
		panic("sdk: the host's document is not understood: " + err.Error())
	}
}
