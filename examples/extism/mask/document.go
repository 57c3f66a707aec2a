package main

import "github.com/extism/go-pdk"

// Message is a message of the history, or a change of one, in which only the set keys count.
type Message struct {
	ID      string `json:"id,omitempty"`
	Role    string `json:"role,omitempty"`
	Content any    `json:"content,omitempty"` // a string, or an array of blocks
}

// Result is the result of a hook.
type Result struct {
	Patch       []Message `json:"patch,omitempty"`
	ToolMessage *Message  `json:"tool_message,omitempty"`
	State       struct {
		Masked int `json:"masked"` // is added to the present value
	} `json:"state"`
}

// say writes the result as the output of the hook, and reports the number of masked words. A hook without an output has no
// result.
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
