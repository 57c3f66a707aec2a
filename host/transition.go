package host

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// This file decides which step follows, and so whether the model runs again. Whether max_loops leaves it a step: budget.go.

// next returns the step that follows the step at, whose update asked for this jump and led to this state. modelDone says that the
// model has had its last word: it is not called again.
func (p *program) next(at int, jump abi.Target, s *State, modelDone bool) (int, error) {
	from := &p.steps[at]
	next, err := p.follow(from, jump, s)
	if err != nil || next != p.loopEntry || !modelDone {
		return next, err
	}
	if from.hookOf == abi.AfterAgent {
		return from.next, nil
	}
	return p.exit, nil
}

// follow returns the step that follows if the model may run again.
func (p *program) follow(from *step, jump abi.Target, s *State) (int, error) {
	if jump != "" {
		return p.jump(from, jump)
	}
	switch from.router {
	case afterModel:
		return p.afterModel(s), nil
	case afterTools:
		return p.afterTools(s), nil
	default:
		return from.next, nil
	}
}

func (p *program) jump(from *step, target abi.Target) (int, error) {
	index, known := targetIndex(target)
	switch {
	case !known:
		return endStep, &JumpError{from.name, target, `is unknown; use "model", "tools" or "end"`}
	case !from.jumps[index]:
		return endStep, &JumpError{from.name, target, "not declared; add it to CanJumpTo"}
	}
	return p.target(from, target), nil
}

// goesRound reports whether a step leads back to the start of the loop, or to the tools, before the model step.
func (p *program) goesRound(from, to int) bool {
	return p.steps[from].hookOf == abi.BeforeModel && to != endStep && (to == p.loopEntry || to == p.tools)
}

// target returns the step that a declared jump leads to.
func (p *program) target(from *step, target abi.Target) int {
	switch {
	case target == abi.JumpModel:
		return p.loopEntry
	case target == abi.JumpTools:
		return p.tools
	case from.hookOf == abi.AfterAgent: // it is part of the exit already: the run ends
		return endStep
	default:
		return p.exit
	}
}

// afterModel decides at the end of the loop. Open calls go to the tools. If all calls were answered without running, for example
// malformed ones, the model runs again, unless one of them was the structured answer. Without calls the loop is over, unless the
// model could only have called a response format.
func (p *program) afterModel(s *State) int {
	messages := s.log.List()
	at := messages.LastAI()
	if at < 0 {
		return p.exit
	}
	if len(messages.Entry(at).Message().ToolCalls) == 0 {
		if malformedAnswered(messages, at) || p.mustRespond && s.structured().IsZero() {
			return p.loopEntry
		}
		return p.exit
	}
	if p.tools == endStep {
		return p.exit
	}
	for range messages.OpenCalls(at) {
		return p.tools
	}
	if p.responds && !s.structured().IsZero() {
		return p.exit
	}
	return p.loopEntry
}

// afterTools decides after the tools: the loop is over if every tool that ran returns directly, or if the model gave its structured
// answer along with the calls.
func (p *program) afterTools(s *State) int {
	if p.responds && !s.structured().IsZero() {
		return p.exit
	}
	if len(p.returns) == 0 {
		return p.loopEntry
	}
	messages := s.log.List()
	at := messages.LastAI()
	if at < 0 {
		return p.loopEntry
	}
	calls := messages.Entry(at).Message().ToolCalls
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = executedName(messages, at, &calls[i])
	}
	if p.direct(names) {
		return p.exit
	}
	return p.loopEntry
}

// modelFollows reports whether the model would run again after the calls of a response, of which updates answer some: what
// afterModel and afterTools will decide once the tools have run.
func (p *program) modelFollows(resp *model.Response, updates []sourcedUpdate) bool {
	if p.tools == endStep || p.responds && !resp.Structured.IsZero() {
		return false
	}
	calls := resp.AI().ToolCalls
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = calls[i].Name
		if answer := answerIn(updates, calls[i].ID); answer != nil && answer.Name != "" {
			names[i] = answer.Name
		}
	}
	return !p.direct(names)
}

// direct reports whether all tools of these names, apart from unknown ones, return directly.
func (p *program) direct(names []string) bool {
	direct := false
	for _, name := range names {
		returns, known := p.returns[name]
		if known && !returns {
			return false
		}
		direct = direct || known
	}
	return direct
}

// executedName returns the name of the tool that answered a call. A middleware may have redirected the call.
func executedName(messages history.List, ai int, call *abi.ToolCall) string {
	if answer := messages.Answer(ai, call.ID); answer != nil && answer.Name != "" {
		return answer.Name
	}
	return call.Name
}

// malformedAnswered reports whether a message has malformed calls and all of them are answered.
func malformedAnswered(messages history.List, ai int) bool {
	calls := messages.Entry(ai).Message().InvalidToolCalls
	for i := range calls {
		if messages.Answer(ai, calls[i].ID) == nil {
			return false
		}
	}
	return len(calls) > 0
}
