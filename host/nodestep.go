package host

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/agenthost/agenthost/abi"
)

// nodeStep calls a node hook and applies its update.
func (r *run) nodeStep(ctx context.Context, at int, s *step) (abi.Target, error) {
	rt := r.nodeRuntime(at, s)
	if err := s.needs.acquire(ctx); err != nil {
		return "", err
	}
	start := r.clock()
	inside, span := r.traceHook(ctx, s.name, nil)
	rt.span = span.under(s.policy)
	update, err := callNode(inside, s.hook.Func, rt)
	s.needs.release()
	if err = rt.settle(err); err != nil {
		update = nil
	}
	rt.report(nil, start, nil, update, err)
	if err != nil {
		return "", r.interruptOr(s.name, nil, &HookError{Step: s.name, Err: err})
	}
	if update != nil && update.JumpTo != "" {
		if _, err := r.agent.program.jump(s, update.JumpTo); err != nil {
			return "", err
		}
	}
	shown := r.state.log.Cursor()
	if err := r.commit(s.name, rt.withUpdate(nil, update)); err != nil {
		return "", err
	}
	r.questions.clear() // the hook is done
	if s.cursors {
		r.progress.cursors[at] = shown
	}
	if update == nil {
		return "", nil
	}
	return update.JumpTo, nil
}

// nodeRuntime makes the Runtime for one call of a node hook. Nobody uses it again, because the hook may leave a goroutine behind that
// holds it; but those of a round are allocated at once.
func (r *run) nodeRuntime(at int, s *step) *Runtime {
	if len(r.runtimes) == 0 {
		r.runtimes = make([]Runtime, min(r.agent.program.hooks, maxRuntimes))
	}
	rt := &r.runtimes[0]
	r.runtimes = r.runtimes[1:]
	rt.run, rt.state, rt.step, rt.n, rt.seed, rt.view = r, r.state, s.name, s.calls.Add(1), r.callSeed(0, 0), s.hook.View
	rt.cursor, rt.answers, rt.emit = r.progress.cursors[at], r.questions.answersTo(s.name, "", ""), r.events()
	return rt
}

// maxRuntimes is how many Runtimes are allocated at once at most.
const maxRuntimes = 8

// callNode calls a node hook; a panic becomes a [*PanicError].
func callNode(ctx context.Context, fn NodeFunc, rt *Runtime) (update *Update, err error) {
	defer catchPanic(&err)
	return fn(ctx, rt)
}

// catchPanic turns a panic into a [*PanicError]. It must be deferred directly.
func catchPanic(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// interruptsOf returns interrupts as the event of the hook or call that asks them shows them.
func interruptsOf(step string, call *abi.ToolCall, err *InterruptError) []Interrupt {
	out := make([]Interrupt, len(err.Interrupts))
	for i := range err.Interrupts {
		out[i] = Interrupt{Step: step, CallID: callID(call), Key: err.Interrupts[i].Key, Value: err.Interrupts[i].Value}
		if err.step != "" {
			out[i].Step = err.step
		}
	}
	return out
}

// clock returns the time if anybody listens; otherwise nobody needs durations.
func (r *run) clock() time.Time {
	if r.sink == nil && r.agent.config.Tracer == nil {
		return time.Time{}
	}
	return r.agent.now()
}
