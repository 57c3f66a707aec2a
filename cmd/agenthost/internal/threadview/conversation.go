package threadview

import (
	"context"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
)

// Conversation is the content of a thread at a checkpoint.
type Conversation struct {
	Thread     string            `json:"thread"`
	State      checkpoint.State  `json:"state"`
	Checkpoint checkpoint.ID     `json:"checkpoint"`
	Parent     checkpoint.ID     `json:"parent,omitempty"`
	Newest     checkpoint.ID     `json:"newest"`
	Time       time.Time         `json:"time"`
	Source     checkpoint.Source `json:"source"`
	Run        string            `json:"run"`
	Step       string            `json:"step,omitempty"`   // the last one that ran
	Next       string            `json:"next,omitempty"`   // the next step
	Paused     bool              `json:"paused,omitempty"` // a breakpoint stopped the run
	Failure    string            `json:"failure,omitempty"`
	Cancelled  bool              `json:"cancelled,omitempty"`
	Messages   []abi.Message     `json:"messages"`
	// Finished holds the results of tool calls that are done while others of the same response are not.
	Finished   []abi.Message       `json:"finished,omitempty"`
	Rules      []Rule              `json:"rules,omitempty"`  // that approve calls
	Fields     wire.Map            `json:"fields,omitempty"` // all with a value, including hidden ones
	Interrupts []Interrupt         `json:"interrupts,omitempty"`
	Unfinished []Execution         `json:"unfinished,omitempty"` // tools that started and did not end
	Usage      abi.Usage           `json:"usage"`                // of the run
	Steps      int                 `json:"steps"`                // of the run
	Program    *checkpoint.Program `json:"-"`

	unreadable string               // why the rules cannot be read; "": they can
	questions  []*question.Question // the open ones
}

// Execution is the start of a tool.
type Execution struct {
	CallID  string    `json:"call_id"`
	Tool    string    `json:"tool"`
	Args    wire.Raw  `json:"args"`
	Started time.Time `json:"started"`
}

// Load returns the content of a thread at a checkpoint, or at its newest one if the number is 0.
func Load(ctx context.Context, s checkpoint.Store, thread string, at checkpoint.ID) (*Conversation, error) {
	summary, err := Find(ctx, s, thread)
	if err != nil {
		return nil, err
	}
	held, err := s.Load(ctx, thread, at)
	if err != nil {
		return nil, fmt.Errorf("thread %q: %w", thread, err)
	}
	newest := held.ID == held.Newest
	r, c := &held.Record, &held.Record.Checkpoint
	questions := question.OfThread(held)
	state := c.State(false)
	if newest {
		state = summary.State
	}
	out := &Conversation{
		Thread: thread, State: state, Checkpoint: held.ID, Parent: r.Parent, Newest: held.Newest,
		Time: r.Time, Source: r.Source, Run: c.Run.ID, Step: r.Step, Next: c.Next, Paused: c.Paused, Failure: c.Failure,
		Cancelled: c.Cancelled,
		Messages:  held.Log.List().Messages(), Fields: held.State, Interrupts: interruptsOf(questions),
		Usage: abi.Usage(c.Run.Usage),
		Steps: c.Run.Steps, Program: held.Program, questions: question.Waiting(questions),
	}
	if out.Rules, err = Rules(thread, held.State); err != nil {
		out.unreadable = err.Error()
	}
	for i := range c.Finished {
		out.Finished = append(out.Finished, c.Finished[i].Message)
	}
	for _, e := range checkpoint.Journalled(c, held.Executions) {
		if e.Outcome == nil && e.Started != 0 {
			out.Unfinished = append(out.Unfinished, Execution{e.CallID, e.Tool, e.Args, time.UnixMilli(e.Started).UTC()})
		}
	}
	return out, nil
}

// Waits reports whether the thread waits for answers at this checkpoint, which is its newest.
func (c *Conversation) Waits() bool { return c.State == checkpoint.Waiting && c.Checkpoint == c.Newest }

// Offer notes which approvals can be for always, for what is printed.
func (c *Conversation) Offer(by question.Approver) { question.Offer(c.questions, by) }
