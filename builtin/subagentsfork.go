package builtin

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/tool"
)

// These texts are deepagents'.
const (
	continuePreamble = "[The messages above are a prior conversation you are continuing as the subagent that was just invoked. Any mention in " +
		"them of delegating to a subagent already happened — you are that subagent, not the one being asked to delegate further. If you try " +
		"to delegate to another subagent yourself, it will be refused — complete this task directly. Use the specific facts, figures, and " +
		"identifiers already established in that conversation when completing the task below — do not answer generically when exact details " +
		"are already available above. Your actual task is below.]\n\n"
	forkRefusal  = "You are a subagent and cannot delegate to another subagent. Complete this task yourself instead of calling this tool again."
	continueNote = " (inherits your full conversation and system prompt — no need to restate context here)"
)

// forks reports whether the subagent begins with the conversation of the agent.
func (s *Subagent) forks() bool { return s.Mode == modeFork }

// conversation returns the messages without the turn that delegates.
func conversation(messages history.List) history.List {
	if asking := messages.LastAI(); asking >= 0 && len(messages.Entry(asking).Message().ToolCalls) > 0 {
		return messages.Slice(0, asking)
	}
	return messages
}

// forkMessages returns what a fork begins with: the conversation, and the task.
func forkMessages(messages history.List, description string) []abi.Message {
	return append(conversation(messages).Messages(), abi.Human(continuePreamble+description))
}

// notForked are the kinds of middleware that a fork does not take over: they delegate or grade the agent's own work. Reviews are
// inherited in another way.
var notForked = []string{rubricEntry.Name, humanInTheLoopEntry.Name, asyncSubagentsEntry.Name}

// forkedMiddleware returns the middleware of a fork: that of the agent, in which the fork's own takes the place of what has the same
// name, and then the rest of its own. standIn takes the place of subagents.
func forkedMiddleware(agent, own []host.Middleware, standIn host.Middleware) []host.Middleware {
	var out []host.Middleware
	placed := map[string]bool{}
	for _, m := range agent {
		if m == nil {
			continue
		}
		name, kind := m.Name(), host.Unwrapped(m).Name()
		at := slices.IndexFunc(own, func(o host.Middleware) bool { return o != nil && o.Name() == name })
		switch {
		case kind == standIn.Name():
			if !placed[kind] {
				out = append(out, standIn)
			}
			placed[kind] = true
		case slices.Contains(notForked, kind) || placed[name]:
		case at >= 0:
			out = append(out, own[at])
			placed[name] = true
		default:
			out = append(out, forked{m})
		}
	}
	for _, m := range own {
		if m == nil || !placed[m.Name()] {
			out = append(out, m)
		}
	}
	return out
}

// forked is middleware that a fork takes over. The names of the tools that it guards are checked in the agent; a fork may have fewer
// tools.
type forked struct{ host.Middleware }

// Unwrap returns the agent's middleware.
func (f forked) Unwrap() host.Middleware { return f.Middleware }

// Hooks returns the hooks of the middleware, which guard a tool only if the fork has it.
func (f forked) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	hooks, err := f.Middleware.Hooks(ctx, env)
	if err != nil || hooks == nil || len(hooks.Guards) == 0 {
		return hooks, err
	}
	out := *hooks // the original may be shared
	out.MayGuard, out.Guards = slices.Concat(hooks.MayGuard, hooks.Guards), nil
	return &out, nil
}

// refusingTask is what a fork has in place of subagents: the same prompt and tool, so that the provider's cache of the agent's
// requests serves the fork, but the tool refuses.
type refusingTask struct{ prompt, description string }

// Name returns the name of the middleware in whose place it is.
func (refusingTask) Name() string { return Subagents{}.Name() }

// Hooks returns the tool, and adds the prompt.
func (r refusingTask) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	spec := new(crew).tool(r.description).Spec()
	spec.Idempotent = true
	hooks := &host.Hooks{Tools: []host.Tool{
		tool.Raw(spec, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
			return host.TextOutput(forkRefusal), nil
		}),
	}}
	if r.prompt != "" {
		hooks.WrapModelCall = promptHook(r.prompt)
	}
	return hooks, nil
}
