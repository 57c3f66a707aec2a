package acp

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// by records in the thread's history who answered.
const by = "the user of an editor"

// errUnanswered says that the user has not answered. The run still waits.
var errUnanswered = errors.New("the question is not answered")

// ask puts the questions of a run to the user, and returns the input that continues it; nil: the turn ends, and why.
func (t *turn) ask(result *host.Result) (*host.Input, protocol.StopReason, error) {
	ctx, stop := context.WithCancelCause(t.ctx)
	defer stop(nil)
	halted := context.AfterFunc(t.server.stop, func() { stop(context.Cause(t.server.stop)) })
	defer halted()
	questions := question.OfResult(result)
	question.Offer(questions, t.agent.Agent)
	if len(questions) == 0 {
		return t.breakpoint(ctx, result)
	}
	if q := t.inText(questions); q != nil {
		t.mu.Lock()
		t.asked = q.ID
		t.mu.Unlock()
		return nil, protocol.EndTurn, t.say(ctx, questionText(q))
	}
	sheet := question.NewSheet(questions)
	for _, q := range questions {
		if err := t.put(ctx, q, sheet); err != nil {
			return t.unanswered(ctx, err)
		}
	}
	answers, err := t.settle(ctx, sheet)
	if err != nil {
		return t.unanswered(ctx, err)
	}
	return &host.Input{Thread: t.id, Resume: answers}, "", nil
}

// put puts a question to the user.
func (t *turn) put(ctx context.Context, q *question.Question, sheet *question.Sheet) error {
	if q.Kind == question.Other {
		return t.fillIn(ctx, q, sheet)
	}
	for _, c := range q.Calls {
		if err := t.review(ctx, q, c, sheet); err != nil {
			return err
		}
	}
	return nil
}

// settle returns the answers, after it has stored the approvals that are for always.
func (t *turn) settle(ctx context.Context, sheet *question.Sheet) ([]host.Answer, error) {
	answers, err := sheet.Answers(by)
	rules := sheet.Rules(by)
	if err != nil || len(rules) == 0 {
		return answers, err
	}
	if err := approval.Add(ctx, t.agent.config.Checkpointer, t.id, t.server.config.Clock(), rules...); err != nil {
		return nil, fmt.Errorf("the approval could not be kept, so nothing was approved: %w", err)
	}
	return answers, nil
}

// unanswered ends a turn whose question has no answer. The run still waits: it is asked about again before the next message, unless its user wanted
// it to end.
func (t *turn) unanswered(ctx context.Context, err error) (*host.Input, protocol.StopReason, error) {
	switch {
	case errors.Is(err, errUnanswered):
		t.mu.Lock()
		t.abandon = true
		t.mu.Unlock()
		return nil, protocol.Cancelled, nil
	case ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	}
	if t.agent.Resume != nil {
		if command := t.agent.Resume(t.id); command != "" {
			return nil, "", fmt.Errorf("the run waits for an answer: %w\nto continue it:\n  %s", err, command)
		}
	}
	return nil, "", fmt.Errorf("the run waits for an answer: %w", err)
}

// breakpoint asks whether to go on after a breakpoint.
func (t *turn) breakpoint(ctx context.Context, result *host.Result) (*host.Input, protocol.StopReason, error) {
	chosen, err := t.choose(ctx, &protocol.PermissionRequest{
		ToolCall: protocol.Reviewed{
			ToolCall: protocol.ToolCall{ID: fmt.Sprintf("breakpoint-%d", result.Checkpoint), Kind: protocol.KindOther, Status: protocol.StatusPending},
			Title:    "The run stopped at a breakpoint before " + terminal.Line(result.Next),
		},
		Options: []protocol.PermissionOption{
			{ID: "continue", Name: "Continue", Kind: protocol.AllowOnce}, {ID: "stop", Name: "Stop here", Kind: protocol.RejectOnce},
		},
	})
	switch {
	case err != nil:
		return t.unanswered(ctx, err)
	case chosen == "continue":
		return &host.Input{Thread: t.id, Continue: true}, "", nil
	default:
		return nil, protocol.EndTurn, nil
	}
}
