package host

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
)

// wrap is a wrap hook in its agent. Next is the type of what the hook calls to enter the layers inside it.
type wrap[Req, Resp any, Next ~func(context.Context, Req) (Resp, error)] struct {
	name   string
	policy func(e Event) Event // see Hooks.TracePolicy
	fn     func(context.Context, *Runtime, Req, Next) (Resp, *Update, error)
	calls  *atomic.Uint64
}

// wrappedCall is a model call or a tool call on its way through the wrap hooks around it.
type wrappedCall[Req, Resp any, Next ~func(context.Context, Req) (Resp, error)] interface {
	// from returns the first hook from index i on that wraps the call, and its index; nil if there is none.
	from(i int) (*wrap[Req, Resp, Next], int)
	// runtimeOf makes the Runtime for one call of hook i.
	runtimeOf(i int, w *wrap[Req, Resp, Next]) *Runtime
	// innermost performs what the hooks wrap.
	innermost(ctx context.Context, req Req) (Resp, []sourcedUpdate, error)
	// check refuses a response that a hook must not return.
	check(resp Resp) error
	// complete completes a response that was checked.
	complete(resp Resp) Resp
	// passed is told which request a hook got, and which one it passes on.
	passed(hook string, got, passes Req)
	// toolCall returns the call, for events; nil if it is a model call.
	toolCall() *abi.ToolCall
	// messages returns the messages of a response, for events.
	messages(resp Resp) []abi.Message
}

// enter calls the hooks around c from index i on, and what they wrap. It returns the response, and the updates of these layers,
// inner layers first.
//
// A repeated call of next drops the updates of the one before it. After an interrupt or a cancellation, next has no effect and
// returns the same error again. Only the end of the hook's own context counts as a cancellation: when a hook gives the inner
// layers a context of its own, with a shorter deadline for example, it handles the end of that context itself.
func enter[Req, Resp any, Next ~func(context.Context, Req) (Resp, error)](
	ctx context.Context, c wrappedCall[Req, Resp, Next], i int, req Req,
) (resp Resp, updates []sourcedUpdate, err error) {
	w, i := c.from(i)
	if w == nil {
		return c.innermost(ctx, req)
	}
	rt := c.runtimeOf(i, w)
	inner := innerLayers{rt: rt}
	next := func(inside context.Context, passes Req) (resp Resp, err error) {
		if err := inner.refusal(); err != nil {
			return resp, err
		}
		c.passed(w.name, req, passes)
		resp, inner.updates, inner.err = enter(inside, c, i+1, passes)
		inner.close(ctx)
		return resp, inner.err
	}
	start := rt.run.clock()
	inside, span := rt.run.traceHook(ctx, w.name, c.toolCall())
	rt.span = span.under(w.policy)
	resp, update, err := callWrap(inside, w, rt, req, next)
	if err == nil {
		err = c.check(resp)
	}
	if err = inner.settle(err); err != nil {
		var none Resp
		rt.report(c.toolCall(), start, nil, nil, err)
		return none, nil, err
	}
	resp = c.complete(resp)
	if rt.emit.wants(rt.span) {
		rt.report(c.toolCall(), start, c.messages(resp), update, nil)
	}
	return resp, rt.withUpdate(inner.updates, update), nil
}

func callWrap[Req, Resp any, Next ~func(context.Context, Req) (Resp, error)](
	ctx context.Context, w *wrap[Req, Resp, Next], rt *Runtime, req Req, next Next,
) (resp Resp, update *Update, err error) {
	defer catchPanic(&err)
	return w.fn(ctx, rt, req, next)
}

// innerLayers is what one wrap hook has learned of the layers inside it through next.
type innerLayers struct {
	rt      *Runtime        // of the hook
	updates []sourcedUpdate // of the last call of next
	err     error           // of the last call of next
	left    bool            // the hook has returned
}

var errLeft = errors.New("next was called after the hook returned")

// refusal returns why next must not be called any more.
func (l *innerLayers) refusal() error {
	if l.left {
		return fmt.Errorf("%s: %w", stepSubject(l.rt.step), errLeft)
	}
	return l.rt.closed
}

// close notes an error that goes outward whatever the hook returns. ctx is the context of the hook's call.
func (l *innerLayers) close(ctx context.Context) {
	if l.err != nil && (IsControlFlow(l.err) || ctx.Err() != nil || l.rt.run.journal.broke(l.err)) {
		l.rt.closed = l.err
	}
}

// settle decides how the hook ended, which returned err. An error from an inner layer passes as it is; the hook's own error
// names the hook.
func (l *innerLayers) settle(err error) error {
	l.left = true
	if l.rt.closed != nil {
		return l.rt.settle(err)
	}
	if err == nil || (l.err != nil && errors.Is(err, l.err)) {
		return err
	}
	if interrupt, ok := asInterrupt(err); ok {
		return &InterruptError{Interrupts: interrupt.Interrupts, step: l.rt.step}
	}
	return &HookError{Step: l.rt.step, Err: err}
}

// entries counts how often each layer of a call was entered. A hook that calls next again enters the inner layers again: they
// make other calls, with other seeds.
type entries []int

// add counts an entry of layer i of n, and returns how many there are now.
func (e *entries) add(i, n int) int {
	if *e == nil {
		*e = make(entries, n)
	}
	(*e)[i]++
	return (*e)[i]
}
