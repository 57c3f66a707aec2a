package host

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// errGone is the error of a tool, or of a hook around it, that called runtime.Goexit, as testing.T.FailNow does.
var errGone = errors.New("the tool call ended its goroutine")

// errSibling is the cause of the cancellation of tool calls when another call of the batch fails.
var errSibling = errors.New("another tool call of the batch failed")

// toolRunner runs the calls of one tools step, in parallel if the agent allows it.
type toolRunner struct {
	calls   []toolCall
	results []toolResult
	order   *toolOrder
	started atomic.Int64
	workers sync.WaitGroup
	turns   *eventTurns // nil: nobody listens
	cancel  context.CancelCauseFunc
}

// runCalls runs the calls of a tools step and returns how each ended.
func (r *run) runCalls(ctx context.Context, calls []toolCall) []toolResult {
	order, parallel := r.agent.orderOf(calls), r.agent.toolCalls.Parallel
	if len(calls) < 2 || parallel == 1 {
		return runInOrder(ctx, calls, order)
	}
	return runInParallel(ctx, calls, order, parallel, r.sink)
}

// runInOrder runs the calls one after the other, until one fails.
func runInOrder(ctx context.Context, calls []toolCall, order *toolOrder) []toolResult {
	results := make([]toolResult, 0, len(calls))
	for i := range calls {
		result := toolResult{err: errNoTurn}
		if order.wait(i) {
			result = calls[i].start(ctx)
		}
		order.end(i, result.err)
		results = append(results, result)
		if fails(result.err) {
			break
		}
	}
	return results
}

// runInParallel runs at most so many calls at once.
func runInParallel(ctx context.Context, calls []toolCall, order *toolOrder, most int, events *sink) []toolResult {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &toolRunner{calls: calls, results: make([]toolResult, len(calls)), order: order, cancel: cancel}
	if events != nil {
		t.turns = newEventTurns(len(calls))
		defer close(t.turns.done)
		for i := range calls {
			calls[i].events = emitter{sink: events, turns: t.turns, call: i}
		}
	}
	workers := min(most, len(calls))
	t.workers.Add(workers)
	work := func() { // one value for all workers: WaitGroup.Go would allocate twice for each
		defer t.workers.Done()
		t.work(ctx)
	}
	for range workers {
		go work()
	}
	if t.turns != nil {
		t.turns.pass(events)
	}
	t.workers.Wait()
	return t.results
}

// work runs calls until none is left. If a tool ends the goroutine, another one runs the calls that are left.
func (t *toolRunner) work(ctx context.Context) {
	defer func() {
		if int(t.started.Load()) < len(t.calls) {
			t.workers.Go(func() { t.work(ctx) })
		}
	}()
	for i := t.take(); i < len(t.calls); i = t.take() {
		t.runOne(ctx, i)
	}
}

func (t *toolRunner) take() int { return int(t.started.Add(1)) - 1 }

func (t *toolRunner) runOne(ctx context.Context, i int) {
	result := &t.results[i]
	result.err = errGone // unless it returns
	defer func() { t.order.end(i, result.err) }()
	defer func() {
		if fails(result.err) {
			t.cancel(errSibling)
		}
		if t.turns != nil {
			t.turns.send(queuedEvent{call: i})
		}
	}()
	if t.turns != nil {
		t.turns.await(i)
	}
	if t.order.wait(i) {
		*result = t.calls[i].start(ctx)
	} else {
		result.err = errNoTurn
	}
}

// start performs the call unless the batch has ended. A call that gave up for that reason says so, whatever its tool made of
// it.
func (c *toolCall) start(ctx context.Context) (result toolResult) {
	if ctx.Err() == nil {
		result = c.do(ctx)
		if ctx.Err() == nil || !fails(result.err) {
			return result
		}
	}
	result.cutOff = true
	if result.err == nil || errors.Is(result.err, context.Canceled) {
		result.err = context.Cause(ctx)
	}
	return result
}

// fails reports whether an error ends the batch: an interrupt does not, and neither does a call whose turn has not come.
func fails(err error) bool {
	_, interrupted := asInterrupt(err)
	return err != nil && !interrupted && err != errNoTurn //nolint:errorlint // it is never inside of another
}
