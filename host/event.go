package host

import (
	"errors"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
)

// EventType says what an event reports.
type EventType string

// The types of events, with the fields that they use in addition to Seq, Time, Agent, Run and Thread.
const (
	EventRun          EventType = "run"        // the run starts or goes on: Messages, Answers and Metadata of the input
	EventStep         EventType = "step"       // a step starts: Step, Index
	EventHook         EventType = "hook"       // a hook ended: Step, Call and Messages of a wrap, Update, Error, Interrupts, Duration
	EventModel        EventType = "model"      // a model call ended: Step, Model, Messages, Error, Duration, Cost
	EventModelRequest EventType = "request"    // a model is about to be called, if Input.Requests says so: Step, Request
	EventTool         EventType = "tool"       // a tool call starts (Call), or ended (Call, Messages, Error, Duration)
	EventToken        EventType = "token"      // a piece of an answer: Step, Index (a new one voids all earlier pieces), Message; Text, Reasoning or CallPiece
	EventState        EventType = "state"      // a step, or the input, changed the state: Step, Messages, Patch, Remove, Reset, State, Unset
	EventCheckpoint   EventType = "checkpoint" // the thread was saved: Step (the one that was performed last), Checkpoint, Parent, Source, Next
	EventCustom       EventType = "custom"     // a hook or tool emitted it: Step, Name, Data
	EventWarn         EventType = "warn"       // something was ignored or discarded: Step, Text
	EventAlert        EventType = "alert"      // tools are called more often than ToolCallConfig.Alert allows: Step, Call, Text
	EventEnd          EventType = "end"        // the run is over: Status, Next, Error, Interrupts, Duration, Cost; see SpanRun for Messages
)

// logEvent is the key that marks a log record whose text an event of the run reports, too. The value is the type of that event.
const logEvent = "event"

// Event is one thing that happened in a run. The order of events is determined by the run alone: events of tool calls that
// run at once come in the order of the calls. The one exception is calls that are cancelled because another call failed:
// their events depend on when they notice the cancellation. Two runs that differ only in whether a middleware is native or a
// plugin have the same events, except for the fields Time, Duration, FirstToken, Fuel, Memory, HostCalls, Digest and Instance.
//
// The JSON form has the keys of the field tags and omits empty values.
type Event struct {
	Type   EventType `json:"type"`
	Seq    uint64    `json:"seq"` // counts the run's events from 1
	Time   time.Time `json:"time"`
	Agent  string    `json:"agent,omitempty"`
	Run    string    `json:"run"`
	Thread string    `json:"thread,omitempty"`
	Step   string    `json:"step,omitempty"`  // name of the step or hook
	Index  int       `json:"index,omitempty"` // number of the step in the run, from 1; for a token, number of the model call in its step

	// Message is the id of the message that a token belongs to. If the model gives its messages ids of its own, the whole message has
	// another id.
	Message   string           `json:"message,omitempty"`
	CallPiece *model.CallPiece `json:"call_piece,omitempty"` // a piece of a tool call, as the model writes it

	Call       *abi.ToolCall `json:"call,omitempty"`
	Model      string        `json:"model,omitempty"`
	Messages   []abi.Message `json:"messages,omitempty"` // in a state event: the messages that were added
	Patch      []abi.Message `json:"patch,omitempty"`    // the messages that were replaced, whole
	Remove     []string      `json:"remove,omitempty"`   // the ids of messages that were removed
	Reset      bool          `json:"reset,omitempty"`    // Messages are the whole history
	State      wire.Map      `json:"state,omitempty"`    // the values of the fields that changed
	Unset      []string      `json:"unset,omitempty"`    // the fields that no longer have a value
	Update     *EventUpdate  `json:"update,omitempty"`   // the update that a hook returned
	Request    *EventRequest `json:"request,omitempty"`  // what a hook changed in the request to the model
	Text       string        `json:"text,omitempty"`
	Reasoning  string        `json:"reasoning,omitempty"` // the model's reasoning
	Name       string        `json:"name,omitempty"`
	Data       wire.Raw      `json:"data,omitempty"`
	Interrupts []Interrupt   `json:"interrupts,omitempty"`
	Answers    wire.Map      `json:"answers,omitempty"`  // answers by the ids of the interrupts
	Metadata   wire.Map      `json:"metadata,omitempty"` // see Input.Metadata
	Error      *EventError   `json:"error,omitempty"`
	Status     Status        `json:"status,omitempty"`
	Next       string        `json:"next,omitempty"` // see Result.Next

	Checkpoint checkpoint.ID     `json:"checkpoint,omitempty"` // the checkpoint that was saved
	Parent     checkpoint.ID     `json:"parent,omitempty"`     // the one that it follows; 0: none
	Source     checkpoint.Source `json:"source,omitempty"`     // why it was made

	Duration time.Duration `json:"duration,omitempty"` // nanoseconds in JSON
	// FirstToken is how long a model took for its first token. 0: the answer did not come in tokens.
	FirstToken time.Duration `json:"first_token,omitempty"`
	// Cost is what a model call, or a run up to its end, has cost, in the currency of Config.Prices. nil: it is unknown.
	Cost      *model.Amount `json:"cost,omitempty"`
	Fuel      uint64        `json:"fuel,omitempty"`       // units of fuel that a plugin's hook used
	Memory    int64         `json:"memory,omitempty"`     // memory of the plugin's instance after the call, in bytes
	HostCalls int           `json:"host_calls,omitempty"` // operations that a plugin's hook asked the host for
	Digest    string        `json:"digest,omitempty"`     // digest of the plugin
	Instance  uint64        `json:"instance,omitempty"`   // number of the plugin's instance

	Written  int             `json:"-"` // only for a [Tracer]: of a checkpoint, the bytes that the store wrote; 0: unknown
	Fault    string          `json:"-"` // only for a [Tracer]: the type of a plugin's fault despite which the run goes on
	Response *model.Response `json:"-"` // only for a [Tracer]: the answer of a model, before hooks have changed it
}

// EventUpdate is an [Update] as events show it.
type EventUpdate struct {
	JumpTo    abi.Target    `json:"jump_to,omitempty"`
	Messages  []abi.Message `json:"messages,omitempty"`
	Overwrite bool          `json:"overwrite,omitempty"`
	Patch     []abi.Patch   `json:"patch,omitempty"`
	Remove    []string      `json:"remove,omitempty"`
	State     wire.Map      `json:"state,omitempty"`
}

// EventError is an error as events show it.
type EventError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// Status says how a run ended.
type Status string

// The statuses.
const (
	Completed   Status = "completed"
	Failed      Status = "failed"      // it ended with an error, or with an answer that reports a failure of the model ([model.StopError])
	Interrupted Status = "interrupted" // the run waits for answers, or stopped at a breakpoint
	Cancelled   Status = "cancelled"
)

func eventUpdate(u *Update) *EventUpdate {
	if u.IsZero() {
		return nil
	}
	return &EventUpdate{
		JumpTo: u.JumpTo, Messages: u.Messages, Overwrite: u.Overwrite, Patch: u.Patch, Remove: u.Remove, State: u.State,
	}
}

func eventError(err error) *EventError {
	e := ErrorDocument(err)
	return &EventError{Type: e.Type, Message: e.Message}
}

// ErrorDocument returns the form of an error in documents and events. An [*abi.Error] stays as it is; for other errors the
// type is derived from the Go type.
func ErrorDocument(err error) *abi.Error {
	var document *abi.Error
	if errors.As(err, &document) && document.Type != "" {
		return document
	}
	out := &abi.Error{Type: errorType(err), Message: err.Error()}
	if provider, ok := errors.AsType[*ModelError](err); ok {
		out.Retryable = provider.Retryable
	}
	return out
}

// errorType names the type of an error. An error type outside this package names itself by a method ErrorType.
func errorType(err error) string {
	var typed interface{ ErrorType() string }
	switch {
	case errors.As(err, &typed):
		return typed.ErrorType()
	case IsControlFlow(err):
		return "cancelled"
	case as[*LimitError](err):
		return "limit_error"
	case as[*JumpError](err):
		return "jump_error"
	case as[*UpdateError](err):
		return "update_error"
	case as[*PanicError](err):
		return "panic"
	case as[*ToolError](err):
		return "tool_error"
	case as[*ModelError](err):
		return "model_error"
	default:
		return "error"
	}
}

func as[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}
