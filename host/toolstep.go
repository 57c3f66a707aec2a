package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// toolsStep runs the open calls of the last AI message and applies their results, in the order of the calls, when all are
// done. If a call fails, the calls that still run are cancelled and the run fails, but every result is kept. If a call
// interrupts, the others finish first, except those whose turn has not come. A call that waits for an answer does not run
// again without one.
func (r *run) toolsStep(ctx context.Context, s *step) error {
	messages := r.state.Messages()
	at := messages.LastAI()
	if at < 0 {
		return &UpdateError{Step: s.name, Err: errors.New("there is no AI message whose tool calls could run")}
	}
	asking := messages.Entry(at).Message()
	all := asking.ToolCalls
	calls := make([]toolCall, 0, len(all))
	for i := range all {
		if messages.Answer(at, all[i].ID) == nil && !r.batch.answers(all[i].ID) && !r.questions.block(all[i].ID) && r.hasTurn(all, i) {
			calls = append(calls, toolCall{run: r, message: asking.ID, index: i, id: journalID(all, i), call: &all[i], events: r.events()})
		}
	}
	if len(calls) == 1 {
		calls[0].alone = len(r.agent.toolWraps) == 0
	}
	calls, exceeded := r.withoutTokens(calls)
	for i := range calls {
		calls[i].alerts()
	}
	results := r.runCalls(ctx, calls)
	if over := r.budget.limitTokens(results, r.agent.config.Model); over != nil {
		exceeded = over
	}
	failure := r.collect(s, calls, results)
	if failure == nil && exceeded != nil && r.agent.toolCalls.fails() {
		r.answerRest(exceeded, at)
		failure = exceeded.failure()
	}
	return r.endTools(at, failure)
}

// journalID is the id of a call in the journal: its own id, unless an earlier call of the message has the same one, as
// histories from outside may have.
func journalID(calls []abi.ToolCall, i int) string {
	id := calls[i].ID
	if slices.ContainsFunc(calls[:i], func(c abi.ToolCall) bool { return c.ID == id }) {
		return fmt.Sprintf("%s #%d", id, i+1)
	}
	return id
}

// collect takes in the results and the questions of the calls, and returns the first failure.
func (r *run) collect(s *step, calls []toolCall, results []toolResult) (failure error) {
	asking := r.state.asking()
	r.batch.results = slices.Grow(r.batch.results, len(results))
	for i := range results {
		err := results[i].err
		switch {
		case err == nil:
			r.batch.add(asking, calls[i].index, calls[i].call.ID, results[i].message, results[i].updates)
			continue
		case errors.Is(err, errNoTurn):
			continue
		case !fails(err):
			if err = r.interruptOr(s.name, calls[i].call, err); err == nil {
				continue
			}
		}
		if !results[i].cutOff {
			r.journal.unlearn(calls[i].message, calls[i].call.ID)
		}
		if failure == nil || errors.Is(failure, errSibling) {
			failure = err
		}
	}
	return failure
}

// endTools applies the results if all calls are done. Otherwise they stay in the batch.
func (r *run) endTools(ai int, failure error) error {
	messages := r.state.Messages()
	for call := range messages.OpenCalls(ai) {
		if r.batch.answers(call.ID) {
			continue
		}
		r.questions.clearCalls(r.batch.answers)
		r.batch.identify(r.ids.New)
		if _, err := r.batch.applyTo(r.state, &r.ids, true); err != nil { // it will not be possible later either
			r.batch.dropUpdates() // as when all are done: the answers are kept
			return errors.Join(failure, err)
		}
		return failure
	}
	r.questions.clear()
	return errors.Join(failure, r.commitBatch())
}
