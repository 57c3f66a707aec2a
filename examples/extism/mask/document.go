package main

import "github.com/extism/go-pdk"

// Message is a message of the history, or a change of one: then only what is set counts.
type Message struct {
	ID      string `json:"id,omitempty"`
	Role    string `json:"role,omitempty"`
	Content any    `json:"content,omitempty"` // a string, or an array of blocks
}

// Result is what a hook returns.
type Result struct {
	Patch       []Message `json:"patch,omitempty"`
	ToolMessage *Message  `json:"tool_message,omitempty"`
	State       struct {
		Masked int `json:"masked"` // is added to what is there
	} `json:"state"`
}

// say makes the result the outcome of the hook, and tells of it. Without an output the hook says nothing.
func (r *Result) say() int32 {
	if r.State.Masked == 0 {
		return 0
	}
	if err := report(r.State.Masked); err != nil {
		return fail(err)
	}
	if err := pdk.OutputJSON(r); err != nil {
		return fail(err)
	}
	return 0
}
