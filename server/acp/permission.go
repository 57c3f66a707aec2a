package acp

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// answer is an answer that the client can offer for a call.
type answer struct {
	kind     protocol.PermissionKind
	name     string
	decision question.Decision
}

// answers returns the answers to offer for a call, by their ids in the order of ids. The protocol has none that changes a call or answers in its
// place.
func answers(c *question.Call) (ids []string, all map[string]answer) {
	all = map[string]answer{}
	add := func(id string, a answer) { ids, all[id] = append(ids, id), a }
	for _, allowed := range c.Allowed {
		switch d := (question.Decision{Type: allowed}); allowed {
		case question.Approve:
			add("approve", answer{protocol.AllowOnce, "Allow", d})
			if c.Standing() {
				d.Always = question.SameArgs
				add("always_same", answer{protocol.AllowAlways, "Always allow with these arguments, in this session", d})
				d.Always = question.AnyArgs
				add("always", answer{protocol.AllowAlways, "Always allow " + terminal.Line(c.Name) + ", in this session", d})
			}
		case question.Reject:
			add("reject", answer{protocol.RejectOnce, "Reject", d})
		case question.Retry:
			add("retry", answer{protocol.AllowOnce, "Run it again", d})
		case question.Skip:
			add("skip", answer{protocol.RejectOnce, "Do not run it again", d})
		default:
		}
	}
	return ids, all
}

// review asks the user about a call.
func (t *turn) review(ctx context.Context, q *question.Question, c *question.Call, sheet *question.Sheet) error {
	ids, all := answers(c)
	if len(ids) == 0 {
		return fmt.Errorf("%s: an editor can only approve or reject, and neither is allowed", terminal.Line(q.Heading(c)))
	}
	call := abi.ToolCall{ID: c.ID, Name: c.Name, Args: c.Args}
	request := &protocol.PermissionRequest{}
	request.ToolCall.ToolCall, request.ToolCall.Title = t.describe(&call)
	request.ToolCall.Status = protocol.StatusPending
	if request.ToolCall.ID == "" {
		request.ToolCall.ID = c.Ref
	}
	if about := c.About(); about != "" {
		request.ToolCall.Content = append(request.ToolCall.Content, protocol.TextContent(terminal.Text(about)))
	}
	request.ToolCall.Content = append(request.ToolCall.Content, t.preview(ctx, &call)...)
	for _, id := range ids {
		request.Options = append(request.Options, protocol.PermissionOption{ID: id, Name: all[id].name, Kind: all[id].kind})
	}
	chosen, err := t.choose(ctx, request)
	if err != nil {
		return err
	}
	return sheet.Decide(c.Ref, all[chosen].decision)
}

// choose lets the user choose an option. The error is errUnanswered if the user chose none.
func (t *turn) choose(ctx context.Context, request *protocol.PermissionRequest) (string, error) {
	request.SessionID = t.id
	var response protocol.PermissionResponse
	if err := t.server.conn.Call(ctx, protocol.RequestPermission, request, &response); err != nil {
		return "", fmt.Errorf("the editor could not ask its user: %w", err)
	}
	switch response.Outcome.Outcome {
	case protocol.OutcomeCancelled:
		return "", errUnanswered
	case protocol.OutcomeSelected:
	default:
		return "", errors.New("the editor's answer to a request for permission is none of the protocol")
	}
	for _, option := range request.Options {
		if option.ID == response.Outcome.OptionID {
			return option.ID, nil
		}
	}
	return "", errors.New("the editor chose an answer that was not offered")
}
