package checkpoint

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

//msgp:tag msgpack
//msgp:tuple Run
//msgp:ignore Usage
//msgp:ignore Update

// Checkpoint records how far a run has come. Its size does not depend on the length of the history.
type Checkpoint struct {
	Run        Run            `msgpack:"run"`
	Next       string         `msgpack:"next,omitempty"`       // the name of the next step; "" if the run has ended
	Cost       Cost           `msgpack:"cost,omitzero"`        // what the run's model calls have cost
	Earlier    Cost           `msgpack:"earlier,omitzero"`     // what the thread's earlier runs have cost
	Trace      string         `msgpack:"trace,omitempty"`      // the traceparent of the span of this part of the run; "" if it had no tracer
	Input      uint64         `msgpack:"input,omitempty"`      // seed of the input that this part of the run took, if it is taken only once; 0: unknown
	Paused     bool           `msgpack:"paused,omitempty"`     // a breakpoint before Next stopped the run, and will not stop it again
	Failure    string         `msgpack:"failure,omitempty"`    // why the run failed before Next; "" if it did not fail
	Cancelled  bool           `msgpack:"cancelled,omitempty"`  // the run failed because its context ended, such as by Ctrl-C
	Cursors    []Cursor       `msgpack:"cursors,omitempty"`    // how much of the history the hooks with the view "new" have seen
	Questions  []Question     `msgpack:"questions,omitempty"`  // the questions that interrupted Next
	Finished   []FinishedCall `msgpack:"finished,omitempty"`   // the completed tool calls of Next, if it stopped before all were complete
	Executions []Execution    `msgpack:"executions,omitempty"` // the executions of tools that Next had started when a crash cut it off
}

// Waiting returns the questions without an answer.
func (c *Checkpoint) Waiting() []*Question {
	var out []*Question
	for i := range c.Questions {
		if c.Questions[i].Answer.IsZero() {
			out = append(out, &c.Questions[i])
		}
	}
	return out
}

// Run identifies the run of a checkpoint and holds its counts up to then, across all of its interrupts.
type Run struct {
	ID         string
	Seed       uint64
	IDSeed     uint64 // seed of the ids of messages and questions
	IDs        int    // ids given to messages
	Steps      int
	ModelSteps int
	Malformed  int   // consecutive responses with malformed tool calls
	ToolTokens int   // tokens of the tools' results
	Usage      Usage // usage of the run's model calls
}

// Cost is a [github.com/agenthost/agenthost/host/model.Cost].
type Cost struct {
	Amount  int64  `msgpack:"amount"`
	Unknown string `msgpack:"unknown,omitempty"`
}

// IsZero reports whether nothing was spent.
func (c Cost) IsZero() bool { return c == Cost{} }

// Cursor records how much of the history the hook of a step has seen.
type Cursor struct {
	Step  string `msgpack:"step"`
	Epoch uint64 `msgpack:"epoch"`
	Seq   uint64 `msgpack:"seq"`
}

// Seen returns the position in the history.
func (c Cursor) Seen() history.Cursor { return history.Cursor{Epoch: c.Epoch, Seq: c.Seq} }

// Question is an interrupt of a hook or tool.
type Question struct {
	ID         string   `msgpack:"id"`                // unique in the thread, over all of its branches
	Step       string   `msgpack:"step"`              // step of the hook or tool that asked
	Message    string   `msgpack:"message,omitempty"` // id of the message with the tool call that the question concerns; "" if there is none
	CallID     string   `msgpack:"call_id,omitempty"` // id of that call
	Nested     string   `msgpack:"nested,omitempty"`  // id of the nested call that a hook or tool made inside that call or hook; "" if there is none
	Key        string   `msgpack:"key"`               // the hook's or tool's own key for the question
	Value      wire.Raw `msgpack:"value,omitzero"`
	Answer     wire.Raw `msgpack:"answer,omitzero"`       // zero while the question waits
	AnsweredBy string   `msgpack:"answered_by,omitempty"` // who gave the answer; "" if unknown
	AnsweredAt int64    `msgpack:"answered_at,omitempty"` // when, in milliseconds since 1970
	Fresh      bool     `msgpack:"fresh,omitempty"`       // the hook or tool has not run since the answer was given
}

// FinishedCall is a completed tool call whose response has other calls that are not complete. Its result is applied when they are
// complete, or when the run is abandoned.
type FinishedCall struct {
	Asked   string      `msgpack:"asked"` // id of the message with the call
	Index   int         `msgpack:"index"` // index of the call in that message
	CallID  string      `msgpack:"call_id"`
	Message abi.Message `msgpack:"message"`           // the answer
	Updates []Update    `msgpack:"updates,omitempty"` // further changes by the tool and the hooks around it, the innermost first
}

// Execution is one execution of a tool. It is journalled when it starts and again when it ends; an idempotent tool may be
// journalled only at the end.
type Execution struct {
	Message  string   `msgpack:"message,omitempty"`  // id of the model's message with the call; "" if a hook or tool made the call
	CallID   string   `msgpack:"call_id"`            // id of the call, whether the model or a hook or tool made it
	By       string   `msgpack:"by,omitempty"`       // step of the hook or tool that made the call; "" if the model did
	Within   string   `msgpack:"within,omitempty"`   // id of the model's call during which a hook or tool made this one; "" if there is none
	Key      string   `msgpack:"key,omitempty"`      // identifies the execution to services that the tool uses, also in a copy of the thread
	N        int      `msgpack:"n"`                  // number of this execution of the call, from 1; hooks around the call may execute it several times
	Attempts int      `msgpack:"attempts,omitempty"` // how often this execution was started, counting restarts after crashes
	Tool     string   `msgpack:"tool"`
	Args     wire.Raw `msgpack:"args,omitzero"`
	Started  int64    `msgpack:"started"`           // time of the last start, in milliseconds since 1970
	Outcome  *Outcome `msgpack:"outcome,omitempty"` // nil if no end was journalled
}

// Same reports whether two journal entries describe the same execution.
func (e *Execution) Same(other *Execution) bool {
	return e.Message == other.Message && e.CallID == other.CallID && e.N == other.N
}

// Outcome describes how a tool's execution ended.
type Outcome struct {
	Failed  bool        `msgpack:"failed,omitempty"`  // it ended with an error; a retry is another execution. The other fields are empty
	Asked   bool        `msgpack:"asked,omitempty"`   // it ended with a question, and runs again with the answer. The other fields are empty
	Message abi.Message `msgpack:"message"`           // the answer
	Updates []Update    `msgpack:"updates,omitempty"` // further changes by the tool
}

// Update is a state update with the name of the step or hook that made it.
type Update struct {
	Step   string
	Update *abi.Update
}

// Program identifies the program of an agent. A run continues only with the same program.
type Program struct {
	Digest     string `msgpack:"digest"` // digest of the steps, their order and their jumps, in hexadecimal
	Middleware []Part `msgpack:"middleware,omitempty"`
	// Manifest is the absolute path of the manifest that the run was started with; "" if there was none. It tells people how to
	// continue the run, and is not part of the identity.
	Manifest string `msgpack:"manifest,omitempty"`
	// ClientTools are the tools of the client that started the run. A run that goes on has them unless its client declares others, so
	// they are not part of the identity either.
	ClientTools []ClientTool `msgpack:"client_tools,omitempty"`
}

// ClientTool is a tool that the caller of a run performs.
type ClientTool struct {
	Name        string   `json:"name"                  msgpack:"name"`
	Description string   `json:"description,omitempty" msgpack:"description,omitempty"`
	Parameters  wire.Raw `json:"parameters,omitempty"  msgpack:"parameters,omitzero"` // a JSON Schema of type object; absent: no parameters
}

// Part is a middleware in a program.
type Part struct {
	Name    string `msgpack:"name"`
	Version string `msgpack:"version,omitempty"` // version that the middleware states
	Digest  string `msgpack:"digest,omitempty"`  // digest of a plugin's module
}
