package host

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
)

// budget counts what a run uses up, and decides when it has exceeded a limit of its agent.
type budget struct {
	limits      *ToolCallConfig
	recursion   int // the steps at which this part of the run fails
	steps       int // that the run performed
	stepsBefore int // at the start of this part of the run, after the last interrupt
	modelSteps  int
	unusable    int // responses in a row that could not be used
	toolTokens  int // of the tools' results
	usage       usage
}

// restore takes over the counts of a run that goes on.
func (b *budget) restore(run *checkpoint.Run) {
	b.usage.sum = abi.Usage(run.Usage)
	b.steps, b.stepsBefore, b.modelSteps = run.Steps, run.Steps, run.ModelSteps
	b.unusable, b.toolTokens = run.Malformed, run.ToolTokens
}

// record writes the counts into a checkpoint.
func (b *budget) record(run *checkpoint.Run) {
	run.Usage = checkpoint.Usage(b.usage.total())
	run.Steps, run.ModelSteps = b.steps, b.modelSteps
	run.Malformed, run.ToolTokens = b.unusable, b.toolTokens
}

// checkSteps enforces the recursion limit after a step. As in LangGraph, a run must end in fewer steps than the limit; a run
// that goes on may take one more, since its input is not a step.
func (b *budget) checkSteps(step string, goesOn bool) error {
	steps := b.steps - b.stepsBefore
	if goesOn {
		steps--
	}
	if steps < b.recursion {
		return nil
	}
	return &LimitError{
		Code: CodeRecursionLimit, Step: step, Received: steps, Maximum: b.recursion,
		Message: fmt.Sprintf("recursion limit of %d reached before the end; raise recursion_limit (RecursionLimit in Go) or look for a loop", b.recursion),
	}
}

// toolLimit is an agent-wide limit of tool calls that a run has exceeded.
type toolLimit struct {
	step     string
	what     string // what exceeded the limit
	why      string // why a call did not run, as the model is told
	received int
	maximum  int
}

// limitPrefix begins the answers to calls that a limit stopped.
const limitPrefix = "Tool call limit exceeded: "

func (l *toolLimit) failure() error {
	return &LimitError{
		Code: CodeToolCallLimit, Step: l.step, Received: l.received, Maximum: l.maximum,
		Message: "tool call limit exceeded: " + l.what,
	}
}

// answers returns the update that answers calls with an error.
func (l *toolLimit) answers(calls []*abi.ToolCall) *Update {
	update := &Update{}
	for _, call := range calls {
		update.Messages = append(update.Messages, l.answer(call))
	}
	return update
}

// answer returns the answer to a call that did not run.
func (l *toolLimit) answer(call *abi.ToolCall) abi.Message {
	return abi.ToolFailure(*call, limitPrefix+l.why)
}

// loopLimit is the limit of model steps.
func (b *budget) loopLimit() *toolLimit {
	maximum := b.limits.MaxLoops
	return &toolLimit{
		step: ModelStep, received: maximum + 1, maximum: maximum,
		what: fmt.Sprintf("the run needs more model steps than max_loops allows, which is %d", maximum),
		why:  "the run has no model steps left. This call was not executed.",
	}
}

// lastWord reports whether the next model step is the one beyond the limit, in which the model has no tools.
func (b *budget) lastWord() bool {
	return b.limits.MaxLoops > 0 && b.modelSteps >= b.limits.MaxLoops && !b.limits.fails()
}

// modelDone reports whether the model had its last word: it is not called again.
func (b *budget) modelDone() bool { return b.lastWord() && b.modelSteps > b.limits.MaxLoops }

// modelStepsLeft returns how many model steps with tools are left, and whether they are limited.
func (b *budget) modelStepsLeft() (left int, limited bool) {
	return max(0, b.limits.MaxLoops-b.modelSteps), b.limits.MaxLoops > 0
}

// refusesModelStep reports whether a model step would exceed the limit, and fail the run: a jump led to it, or the run goes on
// after it failed there.
func (b *budget) refusesModelStep() bool {
	return b.limits.MaxLoops > 0 && b.modelSteps >= b.limits.MaxLoops && b.limits.fails()
}

// countModelStep counts a model step, with a response that could be used or not.
func (b *budget) countModelStep(usable bool) {
	b.modelSteps++
	b.unusable++
	if usable {
		b.unusable = 0
	}
}

// limitResponse answers the calls of a response that a limit does not let through. updates are the response and what comes with
// it, which may have answered some calls. If it returns an error, all calls are answered and the run fails.
func (b *budget) limitResponse(resp *model.Response, updates []sourcedUpdate, p *program) (*Update, error) {
	c := b.limits
	if c.MaxLoops <= 0 && c.MaxPerResponse <= 0 {
		return nil, nil //nolint:nilnil // there is no limit
	}
	calls := unanswered(resp, updates)
	switch {
	case len(calls) == 0:
		return nil, nil //nolint:nilnil // nothing to limit
	case b.lastWord():
		return b.loopLimit().answers(calls), nil
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
	case c.MaxLoops > 0 && b.modelSteps+1 >= c.MaxLoops && c.fails() && p.modelFollows(resp, updates):
		limit := b.loopLimit()
		return limit.answers(calls), limit.failure()
	default:
		return nil, nil //nolint:nilnil // nothing is exceeded
	}
}

// unanswered returns the calls of a response that no update answers. The first update is the response itself.
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

// tokensLeft returns how many tokens results may still bring, and whether they are limited.
func (b *budget) tokensLeft() (left int, limited bool) {
	return max(0, b.limits.MaxTotalTokens-b.toolTokens), b.limits.MaxTotalTokens > 0
}

// tokenLimit is the limit of tokens.
func (b *budget) tokenLimit(received int, why string) *toolLimit {
	maximum := b.limits.MaxTotalTokens
	return &toolLimit{
		step: ToolsStep, received: received, maximum: maximum, why: why,
		what: fmt.Sprintf("the results of the run's tools have %d tokens, and max_total_tokens is %d", received, maximum),
	}
}

// limitTokens counts the tokens of results, and leaves out the results that do not fit. It returns the limit if it is exceeded.
func (b *budget) limitTokens(results []toolResult, m model.Model) *toolLimit {
	left, limited := b.tokensLeft()
	if !limited {
		return nil
	}
	maximum := b.limits.MaxTotalTokens
	var exceeded *toolLimit
	for i := range results {
		if results[i].err != nil {
			continue
		}
		tokens := results[i].tokens(m)
		if tokens <= left {
			left -= tokens
			b.toolTokens += tokens
			continue
		}
		exceeded = b.tokenLimit(b.toolTokens+tokens, fmt.Sprintf(
			"the results of tools have no room in the run's %d tokens. This call was not executed.", maximum))
		results[i].leaveOut(tokens, left, maximum)
	}
	if exceeded != nil && b.limits.fails() {
		b.toolTokens = maximum // a run that goes on from here has none left
	}
	return exceeded
}

// tokens counts the tokens of a result, and of the other messages that its tool brings into the history.
func (result *toolResult) tokens(m model.Model) int {
	tokens := model.CountTokens(m, result.message)
	for _, u := range result.updates {
		for i := range u.Messages {
			tokens += model.CountTokens(m, &u.Messages[i])
		}
	}
	return tokens
}

// leaveOut replaces a result by an answer that says so, and drops the messages that came with it. Changes that the model does
// not see stay.
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

// endAtLoopLimit ends a run that may not take another model step: open calls are answered.
func (r *run) endAtLoopLimit() error {
	limit := r.budget.loopLimit()
	messages := r.state.Messages()
	var updates []sourcedUpdate
	if open := slices.Collect(messages.OpenCalls(messages.LastAI())); len(open) > 0 {
		updates = append(updates, sourcedUpdate{limit.answers(open), ModelStep})
	}
	return errors.Join(r.commit(ModelStep, updates), limit.failure())
}
