package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
)

// frame is what one wrap hook gets to know of the layers inside it through next.
type frame[T any] struct {
	updates []sourcedUpdate // of the last call of next
	err     error           // of the last call of next
	closed  error           // the interrupt or cancellation that next reported: it goes outward, whatever the hook does
	left    bool            // the hook has returned
}

var errLeft = errors.New("next was called after the hook returned")

// next calls the inner layers. A repeated call drops the updates of the one before; after an interrupt or a
// cancellation it has no effect and reports the same again. ctx is that of the hook's call: when the hook gives the
// inner layers a context of its own, with a shorter deadline say, its end is for the hook to handle.
func (f *frame[T]) next(ctx context.Context, step string, inner func() (T, []sourcedUpdate, error)) (result T, err error) {
	switch {
	case f.left:
		return result, fmt.Errorf("%s: %w", stepSubject(step), errLeft)
	case f.closed != nil:
		return result, f.closed
	}
	result, f.updates, f.err = inner()
	if f.err != nil && (IsControlFlow(f.err) || ctx.Err() != nil) {
		f.closed = f.err
	}
	return result, f.err
}

// settle decides how the hook, which returned err, ended. An error that came from inside passes as it is; one of its
// own names the hook.
func (f *frame[T]) settle(rt *Runtime, err error) error {
	f.left = true
	if f.closed != nil {
		if err == nil || !errors.Is(err, f.closed) {
			rt.Warn("the result of the hook is discarded: " + f.closed.Error())
		}
		return f.closed
	}
	if err == nil || (f.err != nil && errors.Is(err, f.err)) {
		return err
	}
	if interrupt, ok := asInterrupt(err); ok {
		return &InterruptError{Interrupts: interrupt.Interrupts, step: rt.step}
	}
	return &HookError{Step: rt.step, Err: err}
}

// withUpdate returns the updates of the inner layers followed by the hook's own.
func (f *frame[T]) withUpdate(step string, own *Update) []sourcedUpdate {
	if own.IsZero() {
		return f.updates
	}
	return append(f.updates, sourcedUpdate{own, step})
}

// wrapRuntime makes the Runtime of a wrap hook's call.
func (r *run) wrapRuntime(step string, n uint64, callID string, call, layer int, events emitter) *Runtime {
	return &Runtime{
		run: r, state: r.state, step: step, n: n, seed: r.callSeed(call, layer), answers: r.answersTo(step, callID), emit: events,
	}
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
