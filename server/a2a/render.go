package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/a2a/internal/updates"
)

// shown says what of a task is shown besides its status.
type shown struct {
	history   *int // at most so many messages, the newest; nil: all
	artifacts bool
}

// render returns a task as clients see it.
func (h *Handler) render(ctx context.Context, t *task, s shown) (*a2a.Task, error) {
	if s.history != nil && *s.history < 0 {
		return nil, invalid("historyLength is %d; it must be at least 0", *s.history)
	}
	out := &a2a.Task{ID: t.id(), ContextID: t.thread.ID, Status: t.status()}
	if s.history != nil && *s.history == 0 && !s.artifacts {
		return out, nil
	}
	if err := h.converse(ctx, t, out); err != nil {
		return nil, err
	}
	if !s.artifacts {
		out.Artifacts = nil
	}
	if s.history != nil && *s.history < len(out.History) {
		out.History = out.History[len(out.History)-*s.history:]
	}
	return out, nil
}

// status returns how a task stands, and what the agent says about it.
func (t *task) status() a2a.TaskStatus {
	at := t.last().Updated
	out := a2a.TaskStatus{State: t.state(), Timestamp: new(at.UTC().Truncate(time.Millisecond))}
	switch {
	case t.waits:
		out.Message = t.said("asks", t.asked()...)
	case t.last().Failure != nil:
		f := t.last().Failure
		out.Message = t.said("fails", &a2a.Part{Content: a2a.Text(f.Message), Metadata: map[string]any{"error": f.Type}})
	}
	return out
}

// said returns a message of the agent about the last run of the task, whose id is always the same.
func (t *task) said(what string, parts ...*a2a.Part) *a2a.Message {
	m := a2a.NewMessageForTask(a2a.MessageRoleAgent, t, parts...)
	m.ID = t.last().ID + "-" + what
	return m
}

// questions returns the questions of the task.
func (t *task) questions() []*question.Question {
	asked := make([]checkpoint.Question, len(t.thread.Waiting))
	for i, in := range t.thread.Waiting {
		value, err := fromJSON(in.Value)
		if err != nil {
			continue // the store got it from the agent
		}
		asked[i] = checkpoint.Question{ID: in.ID, Step: in.Step, Key: "a question", Value: value}
	}
	return question.Read(asked, historyOfNone)
}

// asked returns what the agent asks: a text for people, and the questions for programs.
func (t *task) asked() []*a2a.Part {
	if len(t.thread.Waiting) == 0 {
		return []*a2a.Part{a2a.NewTextPart("The agent has stopped at a breakpoint. Answer \"continue\", and it goes on.")}
	}
	var text strings.Builder
	for _, q := range t.questions() {
		if len(q.Calls) == 0 {
			fmt.Fprintf(&text, "%s: %s\n", q.Heading(nil), textOf(q))
			continue
		}
		for _, c := range q.Calls {
			fmt.Fprintf(&text, "%s: %s\nAnswer with one of: %s\n", q.Heading(c), c.Args.JSON(), words(c))
		}
	}
	interrupts := make([]any, len(t.thread.Waiting))
	for i, in := range t.thread.Waiting {
		interrupts[i] = map[string]any{"id": in.ID, "step": in.Step, "value": in.Value}
	}
	return []*a2a.Part{
		a2a.NewTextPart(strings.TrimSpace(text.String())),
		{Content: a2a.Data{Value: map[string]any{"interrupts": interrupts}}, MediaType: "application/json"},
	}
}

// textOf returns a question of any form as a text.
func textOf(q *question.Question) string {
	if text, ok := q.Value.AsString(); ok {
		return text
	}
	return q.Value.JSON()
}

// converse adds the messages and the artifacts of a task. Nothing is there that the thread has no longer.
func (h *Handler) converse(ctx context.Context, t *task, out *a2a.Task) error {
	seen, err := h.before(ctx, t)
	if err != nil {
		return err
	}
	for i := range t.runs {
		r := &t.runs[i]
		out.History = append(out.History, asksOf(r, t)...)
		if seen == nil || r.Status == runs.Pending {
			continue
		}
		now, err := h.after(ctx, t, r)
		if err != nil || now == nil {
			return err
		}
		for _, m := range now.Messages.All() {
			artifact := updates.ArtifactOf(m)
			if artifact == nil || seen[m.ID] {
				continue
			}
			seen[m.ID] = true
			said := a2a.NewMessageForTask(a2a.MessageRoleAgent, t, artifact.Parts...)
			said.ID = m.ID
			out.History, out.Artifacts = append(out.History, said), append(out.Artifacts, artifact)
		}
		if value := now.State.Get(updates.StructuredArtifact); i == len(t.runs)-1 && r.Status == runs.Success && !t.waits && !value.IsNil() {
			out.Artifacts = append(out.Artifacts, updates.Structured(value))
		}
	}
	return nil
}

// before returns the ids of the messages that the thread had before the task; nil if that is not known yet.
func (h *Handler) before(ctx context.Context, t *task) (map[string]bool, error) {
	first, seen := &t.runs[0], map[string]bool{}
	if first.Before == 0 {
		if first.Status == runs.Running && t.thread.Created.Before(first.Created) {
			return nil, nil
		}
		return seen, nil
	}
	s, err := h.at(ctx, t, first, first.Before)
	if err != nil || s == nil {
		return seen, err
	}
	for _, m := range s.Messages.All() {
		seen[m.ID] = true
	}
	return seen, nil
}

// after returns what the thread holds after a run, or now if the run is not over; nil: nothing was saved, or it is gone.
func (h *Handler) after(ctx context.Context, t *task, r *runs.Run) (*runs.State, error) {
	if !r.Status.Over() {
		return h.at(ctx, t, r, 0)
	}
	if r.After == 0 || r.After == r.Before { // it has saved nothing
		return h.nothing(ctx, t, r)
	}
	return h.at(ctx, t, r, r.After)
}

// nothing returns what the thread held before a run that saved nothing.
func (h *Handler) nothing(ctx context.Context, t *task, r *runs.Run) (*runs.State, error) {
	if r.Before == 0 {
		return nil, nil
	}
	return h.at(ctx, t, r, r.Before)
}

// at returns what the thread held at a checkpoint, as the agent of the task has it; nil: it is gone.
func (h *Handler) at(ctx context.Context, t *task, r *runs.Run, at checkpoint.ID) (*runs.State, error) {
	thread := *t.thread
	thread.Agent = r.Agent
	s, err := h.Service.Snapshot(ctx, &thread, at)
	if err != nil || s.Snapshot == nil {
		return nil, err
	}
	return s, nil
}

// asksOf returns what a client said to begin a run, as it said it.
func asksOf(r *runs.Run, t *task) []*a2a.Message {
	if m := messageOf(r); m != nil {
		m.TaskID, m.ContextID = t.id(), t.thread.ID
		return []*a2a.Message{m}
	}
	var kept struct {
		Messages []abi.Message `json:"messages"`
	}
	if json.Unmarshal(r.Task, &kept) != nil {
		return nil
	}
	var out []*a2a.Message
	for i := range kept.Messages {
		if kept.Messages[i].Role != abi.RoleHuman {
			continue
		}
		m := a2a.NewMessageForTask(a2a.MessageRoleUser, t, updates.Parts(kept.Messages[i].Content)...)
		m.ID = fmt.Sprintf("%s-%d", r.ID, i)
		out = append(out, m)
	}
	return out
}
