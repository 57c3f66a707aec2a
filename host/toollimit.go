package host

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// toolLimit is an agent-wide limit of tool calls that a run has exceeded.
type toolLimit struct {
	step     string
	what     string // what there was too much of
	why      string // a call did not run
	received int
	maximum  int
}

// limitPrefix begins the answers to calls that a limit has stopped.
const limitPrefix = "Tool call limit exceeded: "

func (l *toolLimit) failure() error {
	return &LimitError{
		Code: CodeToolCallLimit, Step: l.step, Received: l.received, Maximum: l.maximum,
		Message: "tool call limit exceeded: " + l.what,
	}
}

// answers makes the update that answers calls with an error.
func (l *toolLimit) answers(calls []*abi.ToolCall) *Update {
	update := &Update{}
	for _, call := range calls {
		update.Messages = append(update.Messages, l.answer(call))
	}
	return update
}

// answer makes the answer to a call that did not run.
func (l *toolLimit) answer(call *abi.ToolCall) abi.Message {
	return abi.ToolFailure(*call, limitPrefix+l.why)
}

// loopsOver is the limit of model steps.
func (r *run) loopsOver() *toolLimit {
	maximum := r.agent.toolCalls.MaxLoops
	return &toolLimit{
		step: ModelStep, received: maximum + 1, maximum: maximum,
		what: fmt.Sprintf("the run needs more model steps than max_loops allows, which is %d", maximum),
		why:  "the run has no model steps left. This call was not executed.",
	}
}

// lastLoop reports whether the model step that comes is the one beyond the limit, in which the model has no tools.
func (r *run) lastLoop() bool {
	c := &r.agent.toolCalls
	return c.MaxLoops > 0 && r.modelSteps >= c.MaxLoops && !c.fails()
}

// loopsDone reports whether the model had that step.
func (r *run) loopsDone() bool { return r.lastLoop() && r.modelSteps > r.agent.toolCalls.MaxLoops }

// withoutModel is the step that follows where the model would be called again, but has had its last word.
func (r *run) withoutModel(done int, jump abi.Target) int {
	p := r.agent.program
	from := &p.steps[done]
	if jump == abi.JumpModel {
		r.warn(from.name, "the jump to the model is ignored: the run has no model steps left (max_loops)")
	}
	if from.hookOf == abi.AfterAgent {
		return from.next
	}
	return p.exit
}

// checkLoops refuses a model step beyond the limit: a jump led to it, or the run goes on after it failed there. Calls
// that are open are answered.
func (r *run) checkLoops() error {
	c := &r.agent.toolCalls
	if c.MaxLoops <= 0 || r.modelSteps < c.MaxLoops || !c.fails() {
		return nil
	}
	limit := r.loopsOver()
	messages := r.state.Messages()
	var updates []sourcedUpdate
	if open := slices.Collect(messages.OpenCalls(messages.LastAI())); len(open) > 0 {
		updates = append(updates, sourcedUpdate{limit.answers(open), ModelStep})
	}
	return errors.Join(r.commit(ModelStep, updates), limit.failure())
}

// limitResponse answers the calls of a response that a limit does not let through; updates are the response and what comes
// with it, which may have answered some. With an error all are answered, and the run fails.
func (r *run) limitResponse(resp *model.Response, updates []sourcedUpdate) (*Update, error) {
	c := &r.agent.toolCalls
	if c.MaxLoops <= 0 && c.MaxPerResponse <= 0 {
		return nil, nil //nolint:nilnil // there is no limit
	}
	calls := unanswered(resp, updates)
	switch {
	case len(calls) == 0:
		return nil, nil //nolint:nilnil // nothing to limit
	case r.lastLoop():
		return r.loopsOver().answers(calls), nil
	case c.MaxPerResponse > 0 && len(calls) > c.MaxPerResponse:
		limit := &toolLimit{
			step: ModelStep, received: len(calls), maximum: c.MaxPerResponse,
			what: fmt.Sprintf("the response has %d tool calls, and max_per_response is %d", len(calls), c.MaxPerResponse),
			why: fmt.Sprintf("the response has %d tool calls, and at most %d may be made at once. This call was not executed.",
				len(calls), c.MaxPerResponse),
		}
		if c.fails() {
			return limit.answers(calls), limit.failure()
		}
		return limit.answers(calls[c.MaxPerResponse:]), nil
	case c.MaxLoops > 0 && r.modelSteps+1 >= c.MaxLoops && c.fails() && resp.Structured.IsZero() && r.agent.program.loopsAfter(resp.AI().ToolCalls, updates):
		limit := r.loopsOver()
		return limit.answers(calls), limit.failure()
	default:
		return nil, nil //nolint:nilnil // nothing is exceeded
	}
}

// unanswered returns the calls of a response that no update answers. The first of them is the response itself.
func unanswered(resp *model.Response, updates []sourcedUpdate) (calls []*abi.ToolCall) {
	ai := resp.AI()
	for i := range ai.ToolCalls {
		if call := &ai.ToolCalls[i]; answerIn(updates, call.ID) == nil {
			calls = append(calls, call)
		}
	}
	return calls
}

// answerIn returns the message of an update that answers a call; nil if there is none.
func answerIn(updates []sourcedUpdate, callID string) *abi.Message {
	for i := range updates {
		if m := answerAmong(updates[i].Messages, callID); m != nil {
			return m
		}
	}
	return nil
}

// answerAmong returns the message that answers a call; nil if there is none.
func answerAmong(messages []abi.Message, callID string) *abi.Message {
	for i := range messages {
		if m := &messages[i]; m.Role == abi.RoleTool && m.ToolCallID == callID {
			return m
		}
	}
	return nil
}

// loopsAfter reports whether the model would be called again after these calls, of which updates answer some.
func (p *program) loopsAfter(calls []abi.ToolCall, updates []sourcedUpdate) bool {
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = calls[i].Name
		if answer := answerIn(updates, calls[i].ID); answer != nil && answer.Name != "" {
			names[i] = answer.Name
		}
	}
	return p.tools != endStep && !p.direct(names)
}

// tokensLeft returns how many tokens results may still bring, and whether there is a limit.
func (r *run) tokensLeft() (left int, limited bool) {
	maximum := r.agent.toolCalls.MaxTotalTokens
	return max(0, maximum-r.toolTokens), maximum > 0
}

// tokensOver is the limit of tokens.
func (r *run) tokensOver(received int, why string) *toolLimit {
	maximum := r.agent.toolCalls.MaxTotalTokens
	return &toolLimit{
		step: ToolsStep, received: received, maximum: maximum, why: why,
		what: fmt.Sprintf("the results of the run's tools have %d tokens, and max_total_tokens is %d", received, maximum),
	}
}

// withoutTokens answers the calls of a batch without running them if no token is left. It returns those that are to be
// performed all the same: they were cut off, and what they have done is still to be told.
func (r *run) withoutTokens(batch []toolCall) ([]toolCall, *toolLimit) {
	maximum := r.agent.toolCalls.MaxTotalTokens
	if left, limited := r.tokensLeft(); !limited || left > 0 || len(batch) == 0 {
		return batch, nil
	}
	limit := r.tokensOver(r.toolTokens, fmt.Sprintf(
		"the results of tools have used up the run's %d tokens. This call was not executed.", maximum))
	rest := batch[:0]
	for i := range batch {
		c := &batch[i]
		if len(r.journal.of(c.message, c.id)) > 0 {
			rest = append(rest, *c)
			continue
		}
		answer := limit.answer(c.call)
		r.batch.add(c.message, c.index, c.call.ID, &answer, nil)
	}
	return rest, limit
}

// answerRest answers the calls that are not done, when the run fails by a limit: those that wait for an answer, for
// example, which they will not get any more.
func (r *run) answerRest(limit *toolLimit, ai int) {
	messages := r.state.Messages()
	all := messages.Entry(ai).Message().ToolCalls
	for i := range all {
		if call := &all[i]; messages.Answer(ai, call.ID) == nil && !r.batch.answers(call.ID) {
			answer := limit.answer(call)
			if r.mayHaveRun(messages.Entry(ai).Message().ID, call.ID) {
				answer = abi.ToolFailure(*call, cutOffText)
			}
			r.batch.add(r.state.asking(), i, call.ID, &answer, nil)
		}
	}
}

// limitTokens counts the tokens of results, and leaves out those that do not fit. It returns the limit if it is
// exceeded.
func (r *run) limitTokens(results []toolResult) *toolLimit {
	maximum := r.agent.toolCalls.MaxTotalTokens
	left, limited := r.tokensLeft()
	if !limited {
		return nil
	}
	var exceeded *toolLimit
	for i := range results {
		if results[i].err != nil {
			continue
		}
		tokens := r.tokensOf(&results[i])
		if tokens <= left {
			left -= tokens
			r.toolTokens += tokens
			continue
		}
		exceeded = r.tokensOver(r.toolTokens+tokens, fmt.Sprintf(
			"the results of tools have no room in the run's %d tokens. This call was not executed.", maximum))
		results[i].leaveOut(tokens, left, maximum)
	}
	if exceeded != nil && r.agent.toolCalls.fails() {
		r.toolTokens = maximum // who goes on with the run has none left
	}
	return exceeded
}

// tokensOf counts the tokens of a result, and of what else its tool brings into the history.
func (r *run) tokensOf(result *toolResult) int {
	tokens := model.CountTokens(r.agent.config.Model, result.message)
	for _, u := range result.updates {
		for i := range u.Messages {
			tokens += model.CountTokens(r.agent.config.Model, &u.Messages[i])
		}
	}
	return tokens
}

// leaveOut puts an answer in the place of a result, and takes out the messages that came with it. What is not for the
// model stays.
func (result *toolResult) leaveOut(tokens, left, maximum int) {
	out := *result.message
	out.Status = abi.StatusError
	out.Content = abi.Text(fmt.Sprintf("%sthe call was executed, but its result is left out: it has %d tokens, and %d of the run's %d are left.",
		limitPrefix, tokens, left, maximum))
	result.message = &out
	for i, u := range result.updates {
		if len(u.Messages) > 0 && !u.Overwrite {
			without := *u.Update
			without.Messages = nil
			result.updates[i].Update = &without
		}
	}
}
