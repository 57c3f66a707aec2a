package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
)

// errGone is a tool, or a hook around it, that called runtime.Goexit, as testing.T.FailNow does.
var errGone = errors.New("the tool call ended its goroutine")

// errSibling is the cause of a cancellation of tool calls by the failure of another call of the batch.
var errSibling = errors.New("another tool call of the batch failed")

// toolsStep runs the open calls of the last AI message and applies their results, in the order of the calls, when all
// are done. If one fails, those that are still running are cancelled and the run fails, but every finished result is
// kept. If one interrupts, the others finish first, apart from those whose turn has not come. A call that waits for an answer
// does not run again without one.
func (r *run) toolsStep(ctx context.Context, s *step) error {
	messages := r.state.Messages()
	at := messages.LastAI()
	if at < 0 {
		return &UpdateError{Step: s.name, Err: errors.New("there is no AI message whose tool calls could run")}
	}
	asking := messages.Entry(at).Message()
	all := asking.ToolCalls
	batch := make([]toolCall, 0, len(all))
	for i := range all {
		if messages.Answer(at, all[i].ID) == nil && !r.isFinished(all[i].ID) && !r.questions.block(all[i].ID) && r.hasTurn(all, i) {
			batch = append(batch, toolCall{run: r, message: asking.ID, index: i, id: journalID(all, i), call: &all[i], events: r.events()})
		}
	}
	if len(batch) == 1 {
		batch[0].alone = len(r.agent.toolWraps) == 0
	}
	batch, exceeded := r.withoutTokens(batch)
	results := r.runBatch(ctx, batch)
	if over := r.limitTokens(results); over != nil {
		exceeded = over
	}
	failure := r.noteResults(s, batch, results)
	if failure == nil && exceeded != nil && r.agent.toolCalls.fails() {
		r.answerRest(exceeded, at)
		failure = exceeded.failure()
	}
	return r.endTools(at, failure)
}

// journalID is the id of a call in the journal: its own, unless a call before it has the same one, which histories from
// outside may have.
func journalID(calls []abi.ToolCall, i int) string {
	id := calls[i].ID
	if slices.ContainsFunc(calls[:i], func(c abi.ToolCall) bool { return c.ID == id }) {
		return fmt.Sprintf("%s #%d", id, i+1)
	}
	return id
}

// runBatch runs the calls, at once if the agent allows it.
func (r *run) runBatch(ctx context.Context, batch []toolCall) []toolResult {
	for i := range batch {
		batch[i].alerts()
	}
	if len(batch) < 2 || r.agent.toolCalls.Parallel == 1 {
		return r.runInOrder(ctx, batch)
	}
	return r.runAtOnce(ctx, batch)
}

// noteResults notes what finished, and what was asked, and returns the first failure.
func (r *run) noteResults(s *step, batch []toolCall, results []toolResult) (failure error) {
	r.finished = slices.Grow(r.finished, len(results))
	for i := range results {
		err := results[i].err
		switch {
		case err == nil:
			r.finish(batch[i].index, batch[i].call.ID, results[i].message, results[i].updates)
			continue
		case errors.Is(err, errNoTurn):
			continue
		case !fails(err):
			if err = r.interruptOr(s.name, batch[i].call, err); err == nil {
				continue
			}
		}
		if !results[i].cutOff {
			r.journal.unlearn(batch[i].message, batch[i].call.ID)
		}
		if failure == nil || errors.Is(failure, errSibling) {
			failure = err
		}
	}
	return failure
}

// endTools applies the results if all calls are done. Otherwise they stay beside the state.
func (r *run) endTools(ai int, failure error) error {
	messages := r.state.Messages()
	for call := range messages.OpenCalls(ai) {
		if !r.isFinished(call.ID) {
			r.questions.clearCalls(r.isFinished)
			r.identifyFinished()
			if _, err := r.withFinished(true); err != nil { // it will not be possible later either
				for i := range r.finished { // as when all are done: the answers are kept
					r.finished[i].updates = nil
				}
				return errors.Join(failure, err)
			}
			return failure
		}
	}
	r.questions.clear()
	if err := r.commitFinished(); err != nil {
		return errors.Join(failure, err)
	}
	return failure
}

// runInOrder runs the calls one after the other, until one fails.
func (r *run) runInOrder(ctx context.Context, batch []toolCall) []toolResult {
	results := make([]toolResult, 0, len(batch))
	turns := r.agent.turnsOf(batch)
	for i := range batch {
		result := toolResult{err: errNoTurn}
		if turns.wait(i) {
			result = batch[i].start(ctx)
		}
		turns.end(i, result.err)
		results = append(results, result)
		if fails(result.err) {
			break
		}
	}
	return results
}

// runAtOnce runs the calls in parallel, as many at once as the agent allows.
func (r *run) runAtOnce(ctx context.Context, batch []toolCall) []toolResult {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var queue chan queued
	if r.sink != nil {
		queue = make(chan queued)
		done := make(chan struct{})
		defer close(done)
		for i := range batch {
			batch[i].events = emitter{sink: r.sink, call: i, queue: queue, done: done}
		}
	}
	results := make([]toolResult, len(batch))
	turns := r.agent.turnsOf(batch)
	var started atomic.Int64
	one := func(i int) {
		results[i].err = errGone // unless it returns
		defer func() { turns.end(i, results[i].err) }()
		defer func() {
			if fails(results[i].err) {
				cancel(errSibling)
			}
			if queue != nil {
				batch[i].events.send(nil)
			}
		}()
		if turns.wait(i) {
			results[i] = batch[i].start(ctx)
		} else {
			results[i].err = errNoTurn
		}
	}
	var workers sync.WaitGroup
	// Whoever takes a first call sees to it that somebody takes the next: calls that end at once need no goroutine each.
	var work func(more int) // as many more may begin
	work = func(more int) {
		returned, begun := false, false
		defer func() {
			if !returned { // a tool has ended the goroutine
				work(more)
			}
		}()
		for i := int(started.Add(1)) - 1; i < len(batch); i = int(started.Add(1)) - 1 {
			if !begun {
				begun = true
				growStack(i)
				if next := more - 1; next >= 0 && i+1 < len(batch) {
					more = 0
					workers.Go(func() { work(next) })
				}
			}
			one(i)
		}
		returned = true
	}
	workers.Go(func() { work(min(r.agent.toolCalls.Parallel, len(batch)) - 1) })
	if queue != nil {
		r.sink.merge(len(batch), queue)
	}
	workers.Wait()
	return results
}

// growStack makes room on the stack for a call with its layers, as long as there is hardly anything on it that must be copied.
// By itself it would grow three times on the way: a tenth of what a batch of calls takes that end at once.
//
//go:noinline
func growStack(i int) byte {
	var room [6 << 10]byte
	room[i%len(room)] = 1
	return room[(i+1)%len(room)]
}

// start performs the call unless the batch has ended. A call that gave up because of that says so, whatever its tool
// made of it.
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
