package hosts

import "encoding/json"

// Outcome is the outcome of a case.
type Outcome struct {
	Refused bool         `json:"refused,omitempty"` // the agent cannot be built, because a plugin is not loaded
	Runs    []RunOutcome `json:"runs,omitempty"`
}

// RunOutcome is the outcome of a run.
type RunOutcome struct {
	Status     string            `json:"status"` // completed, failed, interrupted or cancelled
	Error      *Failure          `json:"error,omitempty"`
	Messages   []json.RawMessage `json:"messages"`
	State      json.RawMessage   `json:"state,omitempty"`
	Interrupts []json.RawMessage `json:"interrupts,omitempty"` // {key, value}
	Frames     []Frame           `json:"frames,omitempty"`     // calls in the order in which they ended
	Requests   []json.RawMessage `json:"requests,omitempty"`   // requests that reached models: {model, system, messages, tools, tool_choice, settings}
	ToolCalls  []json.RawMessage `json:"tool_calls,omitempty"` // calls that reached tools of the agent: {name, args}
	Events     []json.RawMessage `json:"events,omitempty"`     // events of guests: {step, name, data}
	Log        []Line            `json:"log,omitempty"`        // log lines of guests
}

// Failure says why a run failed: a fault of a guest, or another error.
type Failure struct {
	Kind string `json:"kind,omitempty"` // kind of the fault, see SPEC.md §5
	Hook string `json:"hook,omitempty"` // the hook in which the fault occurred
	Type string `json:"type,omitempty"` // type of an error that a guest reported; [Any] for an error of a tool or a model
}

// Line is a line of the log.
type Line struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// Frame is one call of a guest's hook, or of call_tool.
type Frame struct {
	Plugin    string          `json:"plugin"`
	Export    string          `json:"export"`
	Input     json.RawMessage `json:"input"`
	Exchanges []Exchange      `json:"exchanges,omitempty"` // calls of the guest, without those beyond a limit or in a closed frame
	Code      *int32          `json:"code,omitempty"`      // return value; absent: the call did not return
	Result    json.RawMessage `json:"result,omitempty"`    // the result, if the code is 1
	Fault     string          `json:"fault,omitempty"`     // kind of the fault
	Closed    string          `json:"closed,omitempty"`    // interrupted or cancelled
}

// Exchange is one call of next or host_call, with the reply of the host.
type Exchange struct {
	Next     bool            `json:"next,omitempty"`
	Op       string          `json:"op,omitempty"` // operation of host_call
	Document json.RawMessage `json:"document,omitempty"`
	Status   *int32          `json:"status,omitempty"` // absent: the host stopped the guest because of this call
	Reply    json.RawMessage `json:"reply,omitempty"`
}
