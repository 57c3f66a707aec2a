package golden

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// stage returns the hooks of a middleware that sets the state and history of the case directly before its hook.
func (s *scene) stage() *host.Hooks {
	h := &host.Hooks{}
	set := host.NodeHook{Func: s.set}
	switch abi.Hook(s.c.Hook) {
	case abi.BeforeAgent:
		h.BeforeAgent = set
	case abi.AfterModel:
		h.AfterModel = set
	case abi.AfterAgent:
		h.AfterAgent = set
	case abi.BeforeModel, abi.WrapModelCall:
		h.BeforeModel = set
	default:
		set.CanJumpTo = []abi.Target{abi.JumpTools}
		h.BeforeModel = set
	}
	return h
}

// set returns the update that sets the state and history, once in each run.
func (s *scene) set(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	if s.staged {
		return nil, nil
	}
	if s.staged = true; !s.active {
		return &host.Update{Overwrite: true, Messages: s.history()[:s.c.Seen]}, nil
	}
	state, err := wire.MapOf(s.c.State)
	if err == nil {
		err = s.shelf.fill(ctx, rt, &s.c.Store)
	}
	if err != nil {
		return nil, err
	}
	update := &host.Update{Messages: s.history(), State: state}
	if update.Overwrite = s.c.Seen == 0; !update.Overwrite { // the hook has seen the first messages and now sees the new ones
		update.Messages = update.Messages[s.c.Seen:]
		for i, m := range rt.State().Messages().All() {
			if i >= s.c.Seen {
				update.Remove = append(update.Remove, m.ID)
			}
		}
	}
	if s.c.Call != nil {
		update.JumpTo = abi.JumpTools
	}
	return update, nil
}

// history returns the history of the case. It adds the AI message with the tool call if that is missing.
func (s *scene) history() []abi.Message {
	messages := identified("m", s.c.Messages)
	if s.c.Call == nil {
		return messages
	}
	call := s.c.Call.call
	made := func(m abi.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c abi.ToolCall) bool { return c.ID == call.ID })
	}
	if slices.ContainsFunc(messages, made) {
		return messages
	}
	m := abi.AI("", call)
	m.ID = "m-call"
	return append(messages, m)
}

// tools returns the plugin's tools, including a dynamic one.
func (s *scene) tools(all []host.Tool) ([]host.Tool, bool) {
	out, there := slices.Clone(all), false
	for i, t := range all {
		if t.Spec().Name == s.c.Call.call.Name {
			pooled, _ := t.(host.ToolPooled)
			out[i], there = watchedTool{pooled, s}, pooled != nil
		}
	}
	return out, there
}

// watchedTool is the plugin's tool that the case calls.
type watchedTool struct {
	host.ToolPooled

	scene *scene
}

// Spec returns the tool as one that the agent offers.
func (t watchedTool) Spec() abi.ToolSpec {
	spec := t.ToolPooled.Spec()
	spec.Dynamic = false
	return spec
}

// Call runs the case.
func (t watchedTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	s := t.scene
	if !s.performs() {
		return host.TextOutput(""), nil
	}
	if err := s.ask(rt); err != nil {
		return nil, err
	}
	output, err := t.ToolPooled.Call(ctx, rt, call)
	s.failed = err
	return output, err
}
