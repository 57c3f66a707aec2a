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

// Checkpoint is where a run stands. It is small, however long the history is.
type Checkpoint struct {
	Run        Run         `msgpack:"run"`
	Next       string      `msgpack:"next,omitempty"`       // the name of the step that comes next; "": the run is over
	Paused     bool        `msgpack:"paused,omitempty"`     // a breakpoint before Next has stopped the run; it does not stop it again
	Failure    string      `msgpack:"failure,omitempty"`    // why the run stopped before Next; "": it did not fail
	Cursors    []Cursor    `msgpack:"cursors,omitempty"`    // what the hooks whose view is new have seen
	Questions  []Question  `msgpack:"questions,omitempty"`  // what Next asked, when it was interrupted
	Finished   []Finished  `msgpack:"finished,omitempty"`   // tool calls of Next that are done, when it stopped before all were
	Executions []Execution `msgpack:"executions,omitempty"` // of tools by Next, which a crash has cut off
}

// Waiting returns the questions that wait for an answer.
func (c *Checkpoint) Waiting() []*Question {
	var out []*Question
	for i := range c.Questions {
		if c.Questions[i].Answer.IsZero() {
			out = append(out, &c.Questions[i])
		}
	}
	return out
}

// Run is the run that a checkpoint belongs to, and what it has counted until then, over all of its interrupts.
type Run struct {
	ID         string
	Seed       uint64
	IDSeed     uint64 // of the ids of messages and questions
	IDs        int    // ids given to messages
	Steps      int
	ModelSteps int
	Malformed  int   // responses with malformed tool calls in a row
	ToolTokens int   // tokens of the tools' results
	Usage      Usage // of its model calls
}

// Cursor is what a step's hook has seen of the history.
type Cursor struct {
	Step  string `msgpack:"step"`
	Epoch uint64 `msgpack:"epoch"`
	Seq   uint64 `msgpack:"seq"`
}

// Seen is the place in the history.
func (c Cursor) Seen() history.Cursor { return history.Cursor{Epoch: c.Epoch, Seq: c.Seq} }

// Question is an interrupt of a hook or tool.
type Question struct {
	ID         string   `msgpack:"id"`                // unique in the thread, over all of its branches
	Step       string   `msgpack:"step"`              // of the hook or tool that asked
	Message    string   `msgpack:"message,omitempty"` // id of the message with the tool call that it concerns; "": it concerns none
	CallID     string   `msgpack:"call_id,omitempty"` // of that call
	Nested     string   `msgpack:"nested,omitempty"`  // id of the call inside of that call, or of the hook, which a hook or tool made; "": none
	Key        string   `msgpack:"key"`               // what the hook or tool calls it
	Value      wire.Raw `msgpack:"value,omitzero"`
	Answer     wire.Raw `msgpack:"answer,omitzero"`       // none: it waits
	AnsweredBy string   `msgpack:"answered_by,omitempty"` // who gave the answer; "" if that is not known
	AnsweredAt int64    `msgpack:"answered_at,omitempty"` // when, in milliseconds since 1970
	Fresh      bool     `msgpack:"fresh,omitempty"`       // the answer was given after the hook or tool ran last
}

// Finished is a tool call that is done while others of its response are not: its result is applied when they are, or when
// the run is given up.
type Finished struct {
	Asked   string      `msgpack:"asked"` // id of the message with the call
	Index   int         `msgpack:"index"` // of the call in it
	CallID  string      `msgpack:"call_id"`
	Message abi.Message `msgpack:"message"`           // the answer
	Updates []Update    `msgpack:"updates,omitempty"` // what else the tool and the hooks around it change, the inner ones first
}

// Execution is one execution of a tool, as it is journalled: when it starts, and again when it has ended. A tool that is
// idempotent may be journalled only then.
type Execution struct {
	Message  string   `msgpack:"message,omitempty"`  // id of the model's message that asks for the call; "": a hook or tool made it
	CallID   string   `msgpack:"call_id"`            // of the model's call, or of the one that a hook or tool made
	By       string   `msgpack:"by,omitempty"`       // step of the hook or tool that made it; "": the model did
	Within   string   `msgpack:"within,omitempty"`   // id of the model's call in which a hook or tool made it; "": in none
	Key      string   `msgpack:"key,omitempty"`      // what names it to the services that the tool uses, also in a copy of the thread
	N        int      `msgpack:"n"`                  // counts the executions of the call, which the hooks around it ask for, from 1
	Attempts int      `msgpack:"attempts,omitempty"` // how often this one was started, crashes between
	Tool     string   `msgpack:"tool"`
	Args     wire.Raw `msgpack:"args,omitzero"`
	Started  int64    `msgpack:"started"`           // the last time, in milliseconds since 1970
	Outcome  *Outcome `msgpack:"outcome,omitempty"` // nil: it has not ended, as far as anybody knows
}

// Same reports whether two notes are of the same execution.
func (e *Execution) Same(other *Execution) bool {
	return e.Message == other.Message && e.CallID == other.CallID && e.N == other.N
}

// Outcome is how a tool's execution ended.
type Outcome struct {
	Failed  bool        `msgpack:"failed,omitempty"`  // with an error: a retry is another execution; the rest is empty
	Asked   bool        `msgpack:"asked,omitempty"`   // with a question: it runs again with its answer; the rest is empty
	Message abi.Message `msgpack:"message"`           // the answer
	Updates []Update    `msgpack:"updates,omitempty"` // what else it changes
}

// Update is an update with the name of the step or hook that it comes from.
type Update struct {
	Step   string
	Update *abi.Update
}

// Program tells the programs of agents apart: a run goes on only where it is the same.
type Program struct {
	Digest     string `msgpack:"digest"` // of the steps, their order and their jumps, in hexadecimal digits
	Middleware []Part `msgpack:"middleware,omitempty"`
}

// Part is a middleware of a program.
type Part struct {
	Name    string `msgpack:"name"`
	Version string `msgpack:"version,omitempty"` // as the middleware states it
	Digest  string `msgpack:"digest,omitempty"`  // of a plugin's module
}
