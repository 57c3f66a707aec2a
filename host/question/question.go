package question

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Kind is the form of a question.
type Kind string

// The kinds.
const (
	Review     Kind = "review"               // about tool calls at once, answered by {decisions: […]}
	Approval   Kind = "tool_approval"        // about one, answered by a decision
	Unfinished Kind = "unfinished_tool_call" // about one that a crash has cut off, answered by a decision
	Other      Kind = "other"                // of any other form, answered by any value
)

// Question is an interrupt as a person answers it.
type Question struct {
	ID     string // of the interrupt
	Step   string // of the hook or tool that asks
	Key    string // what it calls the question
	CallID string // of the model's tool call that it is about; "": none, or several
	Value  wire.Raw
	Kind   Kind
	Calls  []*Call // that it asks about; none of [Other]

	Answer wire.Raw // that it has; none: it waits
	By     string   // who gave the answer; "" if that is not known
	At     time.Time
}

// Call is a tool call that somebody decides about.
type Call struct {
	ID          string // of the model's tool call; "" if it is none of these, or not known
	Ref         string // by which a person names it: its id or, where that names no call or several, one made of the question's
	Name        string
	Args        wire.Raw
	Description string // what the asker says about it
	Allowed     []Type // what may be decided
	ArgsSchema  wire.Raw
	Started     time.Time // of an unfinished one
}

// Waits reports whether the question has no answer.
func (q *Question) Waits() bool { return q.Answer.IsZero() }

// Waiting returns the questions that have no answer.
func Waiting(questions []*Question) []*Question {
	var out []*Question
	for _, q := range questions {
		if q.Waits() {
			out = append(out, q)
		}
	}
	return out
}

// OfResult reads what a run waits for that has ended.
func OfResult(r *host.Result) []*Question {
	asked := make([]checkpoint.Question, len(r.Interrupts))
	for i, in := range r.Interrupts {
		asked[i] = checkpoint.Question{ID: in.ID, Step: in.Step, CallID: in.CallID, Key: in.Key, Value: in.Value}
	}
	return Read(asked, r.Messages)
}

// OfThread reads what a thread asks at a checkpoint, or asked there and has an answer to.
func OfThread(t *checkpoint.Thread) []*Question {
	return Read(t.Record.Checkpoint.Questions, t.Log.List())
}

// Read reads questions as a store keeps them; messages, which may be empty, are the history in which they were asked: the
// ids of tool calls stand there.
func Read(asked []checkpoint.Question, messages history.List) []*Question {
	out := make([]*Question, len(asked))
	for i := range asked {
		from := &asked[i]
		q := &Question{
			ID: from.ID, Step: from.Step, Key: from.Key, CallID: from.CallID, Value: from.Value, Kind: Other,
			Answer: from.Answer, By: from.AnsweredBy,
		}
		if from.AnsweredAt != 0 {
			q.At = time.UnixMilli(from.AnsweredAt).UTC()
		}
		q.readValue()
		q.identify(messages)
		out[i] = q
	}
	refer(out)
	return out
}

// maxRef is how long the id of a call may be for people to type it, in bytes.
const maxRef = 100

// refer gives each call the name by which a person decides about it: one that nothing else has, and that can be typed. Models
// make up the ids of calls.
func refer(questions []*Question) {
	times := map[string]int{}
	for _, q := range questions {
		times[q.ID]++
		for _, c := range q.Calls {
			times[c.ID]++
		}
	}
	for _, q := range questions {
		for i, c := range q.Calls {
			switch {
			case c.ID != "" && len(c.ID) <= maxRef && times[c.ID] == 1 && terminal.IsPlain(c.ID):
				c.Ref = c.ID
			case len(q.Calls) == 1:
				c.Ref = q.ID
			default:
				c.Ref = q.ID + "/" + strconv.Itoa(i+1)
			}
		}
	}
}

// subject says which call is meant.
func (c *Call) subject() string { return fmt.Sprintf("%s (%s)", c.Ref, c.Name) }

// About returns what the asker says about the call, without what is shown of the call anyway.
func (c *Call) About() string {
	shown := fmt.Sprintf("\n\nTool: %s\nArgs: %s", c.Name, c.Args.JSON())
	return strings.TrimSuffix(c.Description, shown)
}

// EditText returns the arguments of the call as a person edits them: indented JSON.
func (c *Call) EditText() []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(c.Args.JSON()), "", "  "); err != nil {
		return []byte(c.Args.JSON())
	}
	return append(out.Bytes(), '\n')
}
