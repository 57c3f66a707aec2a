package host

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
)

// errGone is a tool, or a hook around it, that called runtime.Goexit, as testing.T.FailNow does.
var errGone = errors.New("the tool call ended its goroutine")

// errSibling is the cause of a cancellation of tool calls by the failure of another call of the batch.
var errSibling = errors.New("another tool call of the batch failed")

// toolsStep runs the open calls of the last AI message and applies their results in the order of the calls. If one
// fails, those that are still running are cancelled and the run fails, but every finished result is kept. If one
// interrupts, the others finish first. A call that waits for an answer does not run again without one.
func (r *run) toolsStep(ctx context.Context, s *step) error {
	messages := r.state.Messages()
	at := messages.LastAI()
	if at < 0 {
		return &UpdateError{Step: s.name, Err: errors.New("there is no AI message whose tool calls could run")}
	}
	all := messages.Entry(at).Message().ToolCalls
	batch := make([]toolCall, 0, len(all))
	for i := range all {
		if messages.Answer(at, all[i].ID) == nil && !r.waitsOn(all[i].ID) {
			batch = append(batch, toolCall{run: r, index: i, call: &all[i], events: r.events()})
		}
	}
	if answered, err := r.checkTokens(batch); answered || err != nil {
		return err
	}
	for i := range batch {
		batch[i].alerts()
	}
	var results []toolResult
	if len(batch) < 2 || r.agent.toolCalls.Parallel == 1 {
		results = runInOrder(ctx, batch)
	} else {
		results = r.runAtOnce(ctx, batch)
	}
	if err := r.commitResults(s, batch, results); err != nil || !r.waits() {
		return err
	}
	return r.endAnswered(s)
}

// endAnswered ends the step if nothing waits any more: an update of one call may answer another that does.
func (r *run) endAnswered(s *step) error {
	messages := r.state.Messages()
	open := map[string]bool{}
	for call := range messages.OpenCalls(messages.LastAI()) {
		open[call.ID] = true
	}
	r.questions = slices.DeleteFunc(r.questions, func(q question) bool { return !open[q.CallID] })
	if r.waits() {
		return nil
	}
	return r.commit(s.name, nil)
}

// runInOrder runs the calls one after the other, until one fails.
func runInOrder(ctx context.Context, batch []toolCall) []toolResult {
	results := make([]toolResult, 0, len(batch))
	for i := range batch {
		result := batch[i].start(ctx)
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
	var started atomic.Int64
	one := func(i int) {
		results[i].err = errGone // unless it returns
		defer func() {
			if fails(results[i].err) {
				cancel(errSibling)
			}
			if queue != nil {
				batch[i].events.send(nil)
			}
		}()
		results[i] = batch[i].start(ctx)
	}
	var work func()
	work = func() {
		returned := false
		defer func() {
			if !returned { // a tool has ended the goroutine
				work()
			}
		}()
		for i := int(started.Add(1)) - 1; i < len(batch); i = int(started.Add(1)) - 1 {
			one(i)
		}
		returned = true
	}
	var workers sync.WaitGroup
	for range min(r.agent.toolCalls.Parallel, len(batch)) {
		workers.Go(work)
	}
	if queue != nil {
		r.sink.merge(len(batch), queue)
	}
	workers.Wait()
	return results
}

// start performs the call unless the batch has ended. A call that gave up because of that says so, whatever its tool
// made of it.
func (c *toolCall) start(ctx context.Context) (result toolResult) {
	if ctx.Err() == nil {
		result = c.do(ctx)
		if !errors.Is(result.err, context.Canceled) || ctx.Err() == nil {
			return result
		}
	}
	result.err = context.Cause(ctx)
	return result
}

// fails reports whether an error ends the batch: an interrupt does not.
func fails(err error) bool {
	_, interrupted := asInterrupt(err)
	return err != nil && !interrupted
}

// commitResults applies what finished, notes interrupts, and returns the first failure. If an update of one of the
// calls cannot be applied, the run fails, but the answers of all that finished are kept.
func (r *run) commitResults(s *step, batch []toolCall, results []toolResult) error {
	exceeded := r.limitTokens(results)
	var failure error
	answers := make([]sourcedUpdate, 0, len(results))
	updates := make([]sourcedUpdate, 0, len(results))
	for i := range results {
		err := results[i].err
		if err != nil && !fails(err) {
			err = r.interruptOr(s.name, batch[i].call, err)
		} else if err == nil {
			answer := sourcedUpdate{&Update{Messages: []abi.Message{*results[i].message}}, s.name}
			answers = append(answers, answer)
			updates = append(append(updates, answer), results[i].updates...)
		}
		if err != nil && (failure == nil || errors.Is(failure, errSibling)) {
			failure = err
		}
	}
	if failure == nil && exceeded != nil && r.agent.toolCalls.fails() {
		failure, updates, answers = exceeded.failure(), r.rest(exceeded, updates), r.rest(exceeded, answers)
	}
	if err := r.commitPart(s.name, updates, failure != nil || r.waits()); err != nil {
		failure = errors.Join(failure, err, r.commitPart(s.name, answers, true))
	}
	return failure
}
