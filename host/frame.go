package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
)

// frame is what one wrap hook gets to know of the layers inside it through next.
type frame[T any] struct {
	rt      *Runtime        // of the hook
	updates []sourcedUpdate // of the last call of next
	err     error           // of the last call of next
	left    bool            // the hook has returned
}

var errLeft = errors.New("next was called after the hook returned")

// next calls the inner layers. A repeated call drops the updates of the one before; after an interrupt or a
// cancellation it has no effect and reports the same again. ctx is that of the hook's call: when the hook gives the
// inner layers a context of its own, with a shorter deadline say, its end is for the hook to handle.
func (f *frame[T]) next(ctx context.Context, inner func() (T, []sourcedUpdate, error)) (result T, err error) {
	switch {
	case f.left:
		return result, fmt.Errorf("%s: %w", stepSubject(f.rt.step), errLeft)
	case f.rt.closed != nil:
		return result, f.rt.closed
	}
	result, f.updates, f.err = inner()
	if f.err != nil && (IsControlFlow(f.err) || ctx.Err() != nil || f.rt.run.journal.broke(f.err)) {
		f.rt.closed = f.err
	}
	return result, f.err
}

// settle decides how the hook, which returned err, ended. An error that came from inside passes as it is; one of its
// own names the hook.
func (f *frame[T]) settle(err error) error {
	f.left = true
	if f.rt.closed != nil {
		return f.rt.settle(err)
	}
	if err == nil || (f.err != nil && errors.Is(err, f.err)) {
		return err
	}
	if interrupt, ok := asInterrupt(err); ok {
		return &InterruptError{Interrupts: interrupt.Interrupts, step: f.rt.step}
	}
	return &HookError{Step: f.rt.step, Err: err}
}

// withUpdate returns the updates of the inner layers followed by the hook's own.
func (f *frame[T]) withUpdate(own *Update) []sourcedUpdate { return f.rt.withUpdate(f.updates, own) }

// withUpdate returns updates followed by those of the tools that the hook or tool has called, and by its own.
func (rt *Runtime) withUpdate(updates []sourcedUpdate, own *Update) []sourcedUpdate {
	updates = append(updates, rt.updates...)
	if own.IsZero() {
		return updates
	}
	return append(updates, sourcedUpdate{own, rt.step})
}

// asToolMessage completes the message that answers a call.
func asToolMessage(m *abi.Message, call *abi.ToolCall) *abi.Message {
	out := *m
	out.Role, out.ToolCallID = abi.RoleTool, call.ID
	if out.Name == "" {
		out.Name = call.Name
	}
	if out.Status == "" {
		out.Status = abi.StatusSuccess
	}
	return &out
}
