package host

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
)

// maxRevisions is how often the hooks around a call may change the call before it begins.
const maxRevisions = 100

// unseen reports whether the call, as it is performed now, was never seen by an after_model hook.
func (c *toolCall) unseen() bool { return c.by != nil || c.asked != nil }

// revise asks the hooks around the call, the outermost first, which call to perform instead, until all agree.
func (c *toolCall) revise(ctx context.Context) error {
	wraps := c.run.agent.toolWraps
	changes := 0
	for i := 0; i < len(wraps); i++ {
		w := &wraps[i]
		if w.hook.Revise == nil || !w.wraps(c.call.Name, c.unseen()) {
			continue
		}
		rt := c.runtime(w.name, w.calls.Load(), i, -1-changes) // a separate entry, so that its seed differs
		revised, err := callRevise(ctx, w.hook.Revise, rt, c.call)
		err = rt.settle(err)
		c.early = rt.withUpdate(c.early, nil)
		if interrupt, ok := asInterrupt(err); ok {
			return &InterruptError{Interrupts: interrupt.Interrupts, step: cmp.Or(interrupt.step, w.name), nested: interrupt.nested}
		}
		if err == nil && c.replace(revised) {
			i = -1 // start again with the outermost
			changes++
			if changes > maxRevisions {
				err = fmt.Errorf("the tool call %q was changed too often; the hooks that review it do not agree", c.call.ID)
			}
		}
		if err != nil {
			return &HookError{Step: w.name, Err: err}
		}
	}
	return nil
}

// replace replaces the call by another one, and reports whether they differ. The id stays.
func (c *toolCall) replace(by *abi.ToolCall) bool {
	if by == nil || by.Name == c.call.Name && bytes.Equal(by.Args, c.call.Args) {
		return false
	}
	if c.asked == nil {
		c.asked = c.call
	}
	c.call = &abi.ToolCall{ID: c.call.ID, Name: by.Name, Args: by.Args}
	return true
}

func callRevise(ctx context.Context, fn ReviseFunc, rt *Runtime, call *abi.ToolCall) (revised *abi.ToolCall, err error) {
	defer catchPanic(&err)
	return fn(ctx, rt, call)
}
