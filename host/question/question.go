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
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Kind is the format of a question.
type Kind string

// These are the kinds of questions.
const (
	Review     Kind = "review"               // a question about one or more tool calls, answered by {decisions: […]}
	Approval   Kind = "tool_approval"        // a question about one tool call, answered by a decision
	Unfinished Kind = "unfinished_tool_call" // a question about a tool call that a crash cut off, answered by a decision
	Other      Kind = "other"                // a question in any other format, answered by any value
)

// Question is an interrupt, prepared for the person who answers it.
type Question struct {
	ID     string // id of the interrupt
	Step   string // the hook or tool that asks
	Key    string // the asker's name for the question
	CallID string // id of the model's tool call in question; "": none, or several
	Value  wire.Raw
	Kind   Kind
	Calls  []*Call // the calls in question; empty for [Other]

	Answer wire.Raw // the answer; none: it waits
	By     string   // who gave the answer; "": not known
	At     time.Time
}

// Call is a tool call to decide about.
type Call struct {
	ID          string // id of the model's tool call; "": not a call of the model, or unknown
	Ref         string // a person's name for the call: its id or, unless that is unique, one made from the question's id
	Name        string
	Args        wire.Raw
	Description string // the asker's description of the call
	Allowed     []Type // the allowed decisions
	ArgsSchema  wire.Raw
	Started     time.Time // when an unfinished call started

	rule *approval.Rule // approves further calls; nil: there can be none
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

// OfResult returns the questions that an ended run waits for.
func OfResult(r *host.Result) []*Question { return ofInterrupts(r.Interrupts, r.Messages) }

// OfSnapshot returns the questions that wait in a thread at a checkpoint.
func OfSnapshot(s *host.Snapshot) []*Question { return ofInterrupts(s.Interrupts, s.Messages) }

func ofInterrupts(interrupts []host.Interrupt, messages history.List) []*Question {
	asked := make([]checkpoint.Question, len(interrupts))
	for i, in := range interrupts {
		asked[i] = checkpoint.Question{ID: in.ID, Step: in.Step, CallID: in.CallID, Key: in.Key, Value: in.Value}
	}
	return Read(asked, messages)
}

// OfThread returns the questions of a thread at a checkpoint, answered or not.
func OfThread(t *checkpoint.Thread) []*Question {
	return Read(t.Record.Checkpoint.Questions, t.Log.List())
}

// Read converts questions from their stored form. messages is the history in which they were asked, which supplies the ids of
// tool calls; it may be empty.
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

// maxRef is the maximum length of a call id that people are expected to type, in bytes.
const maxRef = 100

// refer gives each call a unique, typeable name by which a person decides about it. Ids of calls may be unsuitable, because
// models make them up.
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

// subject names the call in errors.
func (c *Call) subject() string { return fmt.Sprintf("%s (%s)", c.Ref, c.Name) }

// About returns the asker's description of the call, without the parts that are shown anyway.
func (c *Call) About() string {
	shown := fmt.Sprintf("\n\nTool: %s\nArgs: %s", c.Name, c.Args.JSON())
	return strings.TrimSuffix(c.Description, shown)
}

// EditText returns the arguments of the call for editing: indented JSON.
func (c *Call) EditText() []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(c.Args.JSON()), "", "  "); err != nil {
		return []byte(c.Args.JSON())
	}
	return append(out.Bytes(), '\n')
}
