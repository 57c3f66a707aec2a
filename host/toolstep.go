package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
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
	t := &toolsStep{run: r, messages: messages, at: at, asking: messages.Entry(at).Message()}
	calls, exceeded := t.withoutTokens(t.openCalls())
	for i := range calls {
		calls[i].alerts()
	}
	results := r.runCalls(ctx, calls)
	if over := r.budget.limitTokens(results, r.model); over != nil {
		exceeded = over
	}
	failure := t.collect(s, calls, results)
	if failure == nil && exceeded != nil && r.agent.toolCalls.fails() {
		t.answerRest(exceeded)
		failure = exceeded.failure()
	}
	return t.end(failure)
}

// toolsStep is one performance of the tools step.
type toolsStep struct {
	run      *run
	messages history.List
	at       int          // the place of asking in the history
	asking   *abi.Message // the AI message whose calls are performed
}

// openCalls returns the calls that can run now.
func (t *toolsStep) openCalls() []toolCall {
	r, all := t.run, t.asking.ToolCalls
	calls := make([]toolCall, 0, len(all))
	for i := range all {
		if t.isOpen(&all[i]) && !r.questions.block(all[i].ID) && t.hasTurn(i) {
			calls = append(calls, toolCall{run: r, message: t.asking.ID, index: i, id: journalID(all, i), call: &all[i], events: r.events()})
		}
	}
	if len(calls) == 1 {
		calls[0].alone = len(r.agent.toolWraps) == 0
	}
	return calls
}

// isOpen reports whether a call has no answer, neither in the history nor in the batch.
func (t *toolsStep) isOpen(call *abi.ToolCall) bool {
	return t.messages.Answer(t.at, call.ID) == nil && !t.run.batch.answers(call.ID)
}

// hasTurn reports whether call i may begin: it may not while an earlier call of the same tool waits for an answer, if their
// order counts.
func (t *toolsStep) hasTurn(i int) bool {
	r, all := t.run, t.asking.ToolCalls
	if !r.agent.inTurn(all[i].Name) {
		return true
	}
	for j := range i {
		if before := &all[j]; before.Name == all[i].Name && !r.batch.answers(before.ID) && r.questions.block(before.ID) {
			return false
		}
	}
	return true
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

// withoutTokens answers calls without running them if no tokens are left. It returns the calls that run all the same: they were
// cut off, and what they did must still be told.
func (t *toolsStep) withoutTokens(calls []toolCall) ([]toolCall, *toolLimit) {
	r, b := t.run, &t.run.budget
	if left, limited := b.tokensLeft(); !limited || left > 0 || len(calls) == 0 {
		return calls, nil
	}
	limit := b.tokenLimit(b.toolTokens, fmt.Sprintf(
		"the results of tools have used up the run's %d tokens. This call was not executed.", b.limits.MaxTotalTokens))
	rest := calls[:0]
	for i := range calls {
		c := &calls[i]
		if len(r.journal.of(c.message, c.id)) > 0 {
			rest = append(rest, *c)
			continue
		}
		answer := limit.answer(c.call)
		r.batch.add(t.asking.ID, c.index, c.call.ID, &answer, nil)
	}
	return rest, limit
}

// collect takes in the results and the questions of the calls, and returns the first failure.
func (t *toolsStep) collect(s *step, calls []toolCall, results []toolResult) (failure error) {
	r := t.run
	r.batch.results = slices.Grow(r.batch.results, len(results))
	for i := range results {
		err := results[i].err
		switch {
		case err == nil:
			r.batch.add(t.asking.ID, calls[i].index, calls[i].call.ID, results[i].message, results[i].updates)
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

// answerRest answers the calls that are not done, when the run fails by a limit: for example those that wait for an answer,
// which they will no longer get.
func (t *toolsStep) answerRest(limit *toolLimit) {
	r := t.run
	for i := range t.asking.ToolCalls {
		call := &t.asking.ToolCalls[i]
		if !t.isOpen(call) {
			continue
		}
		answer := limit.answer(call)
		if r.journal.mayHaveRun(t.asking.ID, call.ID, r.batch.answers) {
			answer = abi.ToolFailure(*call, cutOffText)
		}
		r.batch.add(t.asking.ID, i, call.ID, &answer, nil)
	}
}

// end applies the results if all calls are done. Otherwise they stay in the batch.
func (t *toolsStep) end(failure error) error {
	r := t.run
	for call := range t.messages.OpenCalls(t.at) {
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
