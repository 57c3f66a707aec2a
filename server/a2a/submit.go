package a2a

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/a2a/internal/updates"
)

// MessageIDKey is the key in the Meta of a message of the thread that has the id that its client gave it. The message has another id in the thread: there a
// message replaces one with the same id.
const MessageIDKey = "a2a_message_id"

// maxMessageID is the length of the longest id that a client may give a message, in bytes.
const maxMessageID = 512

// submit submits the run that a message asks for, and returns its task as it is before the run begins.
func (h *Handler) submit(ctx context.Context, c *call, req *a2a.SendMessageRequest) (*task, error) {
	m := req.Message
	if err := checkMessage(m); err != nil {
		return nil, err
	}
	var push *a2a.PushConfig
	if req.Config != nil {
		push = req.Config.PushConfig
	}
	if push != nil {
		if err := h.checkPush(push); err != nil {
			return nil, err
		}
	}
	sub, t, err := h.submission(ctx, c, m)
	if err != nil {
		return nil, err
	}
	var run *runs.Run
	if push == nil {
		run, err = h.Service.Submit(ctx, sub)
	} else {
		run, err = h.submitNotifying(ctx, sub, t, push)
	}
	if err != nil {
		return nil, err
	}
	if t == nil {
		thread, err := h.Service.Thread(ctx, run.Owner, run.Thread)
		if err != nil {
			return nil, err
		}
		t = &task{thread: thread}
	}
	t.runs, t.waits = append(t.runs, *run), false
	return t, nil
}

// submitNotifying submits a run of whose task a client is notified. Where is kept before the run begins: a run that nobody can be told of does not
// begin, and one that ends at once is told of.
func (h *Handler) submitNotifying(ctx context.Context, sub *runs.Submission, t *task, push *a2a.PushConfig) (run *runs.Run, err error) {
	if t == nil {
		if sub.ID, err = runs.NewRunID(); err != nil {
			return nil, err
		}
		push.TaskID = a2a.TaskID(sub.ID)
	} else {
		push.TaskID = t.id()
	}
	added, err := h.keepPush(ctx, sub.Owner, push)
	if err != nil {
		return nil, err
	}
	if run, err = h.Service.Submit(ctx, sub); err != nil && added {
		undo := context.WithoutCancel(ctx) // the client may have gone
		err = errors.Join(err, h.store.Delete(undo, pushNamespace(sub.Owner, push.TaskID), push.ID, nil))
	}
	return run, err
}

func checkMessage(m *a2a.Message) error {
	switch {
	case m == nil:
		return invalid("the message is missing")
	case m.ID == "":
		return invalid("message.messageId is missing")
	case len(m.ID) > maxMessageID:
		return invalid("message.messageId is longer than %d bytes", maxMessageID)
	case m.Role != a2a.MessageRoleUser:
		return invalid("message.role is %.64q; a client sends %s", m.Role, a2a.MessageRoleUser)
	case len(m.Parts) == 0:
		return invalid("message.parts is empty; a message has at least one part")
	default:
		return nil
	}
}

// submission returns the run to submit, and the task that it goes on with; nil: it begins one.
func (h *Handler) submission(ctx context.Context, c *call, m *a2a.Message) (sub *runs.Submission, t *task, err error) {
	content, err := updates.Content(m.Parts)
	if err != nil {
		return nil, nil, invalid("%v", err)
	}
	sub = &runs.Submission{Owner: c.Owner, Thread: m.ContextID, Create: true, Keep: true}
	if sub.Request, err = json.Marshal(request{m}); err != nil {
		return nil, nil, invalid("the message cannot be kept: %v", err)
	}
	if sub.Assistant, err = h.Service.Resolve(ctx, c.Owner, c.agent.Name); err != nil {
		return nil, nil, err
	}
	if m.TaskID == "" {
		if m.ContextID != "" && runs.CheckID(m.ContextID) != nil {
			return nil, nil, invalid("message.contextId is %.64q; an id has up to %d letters, digits and characters of -_.:@", m.ContextID, runs.MaxID)
		}
		said := abi.Message{Role: abi.RoleHuman, Content: content}
		said.Meta.Set(MessageIDKey, wire.String(m.ID))
		sub.Task.Messages = []abi.Message{said}
		return sub, nil, nil
	}
	t, err = h.taskNamed(ctx, c, m.TaskID)
	switch {
	case err != nil:
		return nil, nil, err
	case m.ContextID != "" && m.ContextID != t.thread.ID:
		return nil, nil, invalid("message.contextId is %.64q, and the task %s belongs to %q", m.ContextID, t.id(), t.thread.ID)
	case t.state().Terminal():
		return nil, nil, problemf(a2a.ErrUnsupportedOperation, "the task is over (%s); send the message with the contextId alone", t.state())
	case !t.waits:
		return nil, nil, problemf(a2a.ErrUnsupportedOperation, "the task is being worked on and asks nothing; send the message with the contextId alone")
	}
	sub.Thread, sub.Create, sub.Strategy = t.thread.ID, false, runs.StrategyReject
	return sub, t, t.answer(m, c.Principal.Name, &sub.Task)
}
