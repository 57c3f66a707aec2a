package a2a

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/terminal"
)

const (
	firstLook  = 500 * time.Millisecond // between looks at a task that is not followed
	lastLook   = 10 * time.Second
	cancelTime = 5 * time.Second // how long the agent may take to accept that its task is cancelled
)

// errTimeout is the cancellation cause when the time of a call is over.
var errTimeout = errors.New("the time for the call is over")

// Call sends the message and waits until the agent has done its task, or asks something. Problems with the agent are a failed result; the end of ctx
// is an error. When the call ends before the task, the task is cancelled.
func (t *Tool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	message, err := messageOf(call)
	if err != nil {
		return t.failure(err.Error()), nil
	}
	if rt != nil && rt.IdempotencyKey() != "" {
		message.ID = rt.IdempotencyKey()
	}
	inTime, stop := context.WithTimeoutCause(ctx, t.config.Timeout, errTimeout)
	defer stop()
	c := &conversation{tool: t, rt: rt}
	err = c.hold(inTime, message)
	if inTime.Err() != nil && c.task != nil && !settled(c.task) {
		c.cancel(inTime)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case inTime.Err() != nil:
		return t.failure(fmt.Sprintf("the agent has not finished within %v", t.config.Timeout)), nil
	case err != nil:
		return t.failure("the agent cannot be called: " + err.Error()), nil
	default:
		return t.output(c), nil
	}
}

// messageOf returns the message that a call sends.
func messageOf(call *abi.ToolCall) (*a2a.Message, error) {
	var args wire.Map
	if _, err := args.UnmarshalMsg(call.Args); err != nil {
		return nil, errors.New("the arguments are not an object")
	}
	said, _ := args.Get("message").AsString()
	if strings.TrimSpace(said) == "" {
		return nil, errors.New("the message is empty")
	}
	m := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(said))
	task, _ := args.Get("task_id").AsString()
	m.TaskID = a2a.TaskID(task)
	m.ContextID, _ = args.Get("context_id").AsString()
	return m, nil
}

// conversation is one call in progress.
type conversation struct {
	tool    *Tool
	rt      *host.Runtime
	task    *a2a.Task    // as far as it is known; nil: there is none yet
	message *a2a.Message // the answer of an agent that makes no task of it
}

// settled reports whether there is nothing more to wait for.
func settled(task *a2a.Task) bool {
	state := task.Status.State
	return state.Terminal() || state == a2a.TaskStateInputRequired || state == a2a.TaskStateAuthRequired
}

// hold sends the message, and waits until the task is settled.
func (c *conversation) hold(ctx context.Context, message *a2a.Message) error {
	request := &a2a.SendMessageRequest{Message: message}
	if c.tool.card.Capabilities.Streaming {
		err := c.follow(ctx, request)
		if err != nil && c.task == nil { // a task that is known can be asked for
			return err
		}
	} else {
		result, err := c.tool.client.SendMessage(ctx, request)
		if err != nil {
			return err
		}
		if err := c.take(result); err != nil {
			return err
		}
	}
	return c.wait(ctx)
}

// follow sends the message, and takes what happens.
func (c *conversation) follow(ctx context.Context, request *a2a.SendMessageRequest) error {
	for event, err := range c.tool.client.SendStreamingMessage(ctx, request) {
		if err != nil {
			return err
		}
		if err := c.take(event); err != nil {
			return err
		}
		if c.task != nil && settled(c.task) {
			break // some agents leave the stream open
		}
	}
	return nil
}

// errOtherTask means that an agent said something about a task that is not that of the call.
var errOtherTask = errors.New("the agent tells of another task")

// take takes an event.
func (c *conversation) take(event a2a.Event) error {
	switch e := event.(type) {
	case *a2a.Message:
		c.message = e
	case *a2a.Task:
		c.task = e
	case *a2a.TaskStatusUpdateEvent:
		if err := c.know(e); err != nil {
			return err
		}
		c.task.Status = e.Status
		if e.Status.Message != nil && e.Status.State == a2a.TaskStateWorking {
			c.tell(textOf(e.Status.Message.Parts))
		}
	case *a2a.TaskArtifactUpdateEvent:
		if err := c.know(e); err != nil {
			return err
		}
		if e.Artifact != nil {
			c.tell(textOf(e.Artifact.Parts))
		}
	}
	return nil
}

// know notes which task an update is about. Some agents don't repeat a task that goes on.
func (c *conversation) know(e a2a.Event) error {
	info := e.TaskInfo()
	if c.task == nil {
		c.task = &a2a.Task{ID: info.TaskID, ContextID: info.ContextID}
	}
	if c.task.ID == "" || c.task.ID != info.TaskID {
		return errOtherTask
	}
	return nil
}

// tell shows in the run's stream what the agent says.
func (c *conversation) tell(said string) {
	if c.rt == nil || said == "" {
		return
	}
	c.rt.Emit("progress", wire.Map{
		{Key: "message", Value: wire.String(terminal.Text(c.tool.secrets.Text(said)))},
		{Key: "tool", Value: wire.String(c.tool.spec.Name)},
		{Key: "tool_call_id", Value: wire.String(c.rt.CallID())},
	}.Raw())
}

// wait gets the task until it is settled. A stream leaves the artifacts to the last look.
func (c *conversation) wait(ctx context.Context) error {
	if c.task == nil {
		if c.message == nil {
			return errors.New("the agent has not answered")
		}
		return nil
	}
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		task, err := c.tool.client.GetTask(ctx, &a2a.GetTaskRequest{ID: c.task.ID})
		if err != nil {
			return err
		}
		if c.task = task; settled(task) {
			return nil
		}
		timer := time.NewTimer(pause) //nolint:forbidigo // it waits for another machine
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// cancel cancels the task of a call that ends.
func (c *conversation) cancel(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	_, _ = c.tool.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: c.task.ID}) // nobody waits for it
}
