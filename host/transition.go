package host

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

// next is the program's one transition function: the step that follows the step at, whose update asked for this jump
// and led to this state. It reads nothing else, so that the loop, a resume and the graph cannot disagree.
func (p *program) next(at int, jump abi.Target, s *State) (int, error) {
	from := &p.steps[at]
	if jump != "" {
		return p.jump(from, jump)
	}
	switch from.router {
	case afterModel:
		return p.afterModel(s.log.List()), nil
	case afterTools:
		return p.afterTools(s.log.List()), nil
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

// target returns where a declared jump leads.
func (p *program) target(from *step, target abi.Target) int {
	switch {
	case target == abi.JumpModel:
		return p.loopEntry
	case target == abi.JumpTools:
		return p.tools
	case from.hookOf == abi.AfterAgent: // the exit is where it is already: the run ends
		return endStep
	default:
		return p.exit
	}
}

// afterModel decides at the loop's exit: calls that nobody has answered go to the tools; if all were answered without
// running them, malformed ones for example, the model is asked again; without calls the loop is over.
func (p *program) afterModel(messages history.List) int {
	at := messages.LastAI()
	if at < 0 {
		return p.exit
	}
	if len(messages.Entry(at).Message().ToolCalls) == 0 {
		if malformedAnswered(messages, at) {
			return p.loopEntry
		}
		return p.exit
	}
	if p.tools == endStep {
		return p.exit
	}
	if !hasOpenCall(messages, at) {
		return p.loopEntry
	}
	return p.tools
}

// afterTools decides behind the tools: if every tool that ran returns directly, the loop is over.
func (p *program) afterTools(messages history.List) int {
	if len(p.returns) == 0 {
		return p.loopEntry
	}
	at := messages.LastAI()
	if at < 0 {
		return p.loopEntry
	}
	direct := false
	calls := messages.Entry(at).Message().ToolCalls
	for i := range calls {
		returns, known := p.returns[executedName(messages, at, &calls[i])]
		if !known {
			continue
		}
		if !returns {
			return p.loopEntry
		}
		direct = true
	}
	if direct {
		return p.exit
	}
	return p.loopEntry
}

// executedName returns the name of the tool that answered a call, which a middleware may have redirected.
func executedName(messages history.List, ai int, call *abi.ToolCall) string {
	if answer := answerTo(messages, ai, call.ID); answer != nil && answer.Name != "" {
		return answer.Name
	}
	return call.Name
}

// answerTo returns the tool message behind the AI message at ai that answers a call; nil if there is none.
func answerTo(messages history.List, ai int, callID string) *abi.Message {
	for i := ai + 1; i < messages.Len(); i++ {
		if m := messages.Entry(i).Message(); m.Role == abi.RoleTool && m.ToolCallID == callID {
			return m
		}
	}
	return nil
}

// malformedAnswered reports whether a message has malformed calls, all of which are answered.
func malformedAnswered(messages history.List, ai int) bool {
	calls := messages.Entry(ai).Message().InvalidToolCalls
	for i := range calls {
		if answerTo(messages, ai, calls[i].ID) == nil {
			return false
		}
	}
	return len(calls) > 0
}

func hasOpenCall(messages history.List, ai int) bool {
	calls := messages.Entry(ai).Message().ToolCalls
	for i := range calls {
		if answerTo(messages, ai, calls[i].ID) == nil {
			return true
		}
	}
	return false
}
