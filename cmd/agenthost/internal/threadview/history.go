package threadview

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// Entry is a checkpoint in the history of a thread, with the changes since its parent.
type Entry struct {
	ID        checkpoint.ID     `json:"checkpoint"`
	Parent    checkpoint.ID     `json:"parent,omitempty"`
	Branches  bool              `json:"branches,omitempty"` // whether it does not follow the checkpoint before it
	Time      time.Time         `json:"time"`
	Source    checkpoint.Source `json:"source"`
	Run       string            `json:"run"`
	Step      string            `json:"step,omitempty"` // the last one that ran
	Next      string            `json:"next,omitempty"` // the next step; "" if the run is complete
	Paused    bool              `json:"paused,omitempty"`
	Failure   string            `json:"failure,omitempty"`
	Cancelled bool              `json:"cancelled,omitempty"`

	Messages  int           `json:"messages"`            // in the history at this checkpoint
	Rewritten bool          `json:"rewritten,omitempty"` // whether the history was rewritten; then Added and Set are complete
	Added     []abi.Message `json:"added,omitempty"`
	Replaced  []abi.Message `json:"replaced,omitempty"` // in their new form
	Removed   []string      `json:"removed,omitempty"`  // ids
	Set       wire.Map      `json:"set,omitempty"`      // fields
	Unset     []string      `json:"unset,omitempty"`

	Asked    []Question `json:"asked,omitempty"`
	Answered []Answer   `json:"answered,omitempty"`
	Finished []string   `json:"finished,omitempty"` // ids of tool calls that finished while others of the same response did not
}

// Question is a question that opened at this checkpoint.
type Question struct {
	Interrupt string   `json:"interrupt"`
	Step      string   `json:"step"`
	CallID    string   `json:"call_id,omitempty"`
	Key       string   `json:"key"`
	Value     wire.Raw `json:"value"`
}

// Answer is an answer to a question of this checkpoint.
type Answer struct {
	Interrupt string    `json:"interrupt"`
	Step      string    `json:"step"`
	Key       string    `json:"key"`
	Value     wire.Raw  `json:"value"`
	By        string    `json:"by,omitempty"`
	At        time.Time `json:"at,omitzero"`
}

// History returns the checkpoints of a thread in all branches, the newest first.
func History(ctx context.Context, s checkpoint.Store, thread string) ([]Entry, error) {
	var out []Entry
	at := map[checkpoint.ID]*checkpoint.Checkpoint{0: {}}
	for r, err := range checkpoint.All(ctx, s, thread) {
		if err != nil {
			return nil, fmt.Errorf("thread %q: %w", thread, err)
		}
		at[r.ID] = &r.Checkpoint
		out = append(out, entryOf(r))
	}
	for i := range out {
		if out[i].Parent == 0 {
			out[i].Branches = i < len(out)-1
		}
		before := at[out[i].Parent]
		if before == nil { // a fork leaves it out
			before = at[0]
		}
		out[i].compare(before, at[out[i].ID])
	}
	return out, nil
}

func entryOf(r *checkpoint.Record) Entry {
	c := &r.Checkpoint
	e := Entry{
		ID: r.ID, Parent: r.Parent, Branches: r.Parent != 0 && r.Parent != r.ID-1, Time: r.Time, Source: r.Source, Run: c.Run.ID,
		Step: r.Step, Next: c.Next, Paused: c.Paused, Failure: c.Failure, Cancelled: c.Cancelled,
		Messages: r.Messages, Rewritten: r.Whole && r.Parent != 0,
		Set: r.State, Unset: r.Unset,
	}
	for i := range r.Changes {
		switch ch := &r.Changes[i]; {
		case ch.Removed:
			e.Removed = append(e.Removed, ch.ID)
		case ch.Entry == nil: // a later change has its final form
		case ch.Born == ch.Seq:
			e.Added = append(e.Added, *ch.Entry.Message())
		default:
			e.Replaced = append(e.Replaced, *ch.Entry.Message())
		}
	}
	return e
}

// compare finds what was asked, answered and finished since the parent.
func (e *Entry) compare(before, now *checkpoint.Checkpoint) {
	for i := range now.Finished {
		id := now.Finished[i].CallID
		if !slices.ContainsFunc(before.Finished, func(old checkpoint.FinishedCall) bool { return old.CallID == id }) {
			e.Finished = append(e.Finished, id)
		}
	}
	for i := range now.Questions {
		q := &now.Questions[i]
		at := slices.IndexFunc(before.Questions, func(old checkpoint.Question) bool { return old.ID == q.ID })
		var old checkpoint.Question
		if at >= 0 {
			old = before.Questions[at]
		}
		waited := at >= 0 && old.Answer.IsZero()
		same := old.Answer.Equal(q.Answer) && old.AnsweredAt == q.AnsweredAt
		switch {
		case q.Answer.IsZero() && !waited:
			e.Asked = append(e.Asked, Question{q.ID, q.Step, q.CallID, q.Key, q.Value})
		case !q.Answer.IsZero() && !same:
			answer := Answer{Interrupt: q.ID, Step: q.Step, Key: q.Key, Value: q.Answer, By: q.AnsweredBy}
			if q.AnsweredAt != 0 {
				answer.At = time.UnixMilli(q.AnsweredAt).UTC()
			}
			e.Answered = append(e.Answered, answer)
		}
	}
}
