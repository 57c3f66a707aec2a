package golden

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/tool"
)

// The constants of every case.
const (
	thread    = "test"
	seed      = 7
	modelName = "test" // the model that model.generate may call
)

// Perform runs the case with the module and the Engine of w; it ignores the other fields. The error says why there is no
// outcome: the plugin does not load, it lacks the hook, or the case does not lead to the hook.
func (c *Case) Perform(ctx context.Context, w plugin.Wasm) (*Outcome, error) {
	s := &scene{c: c, shelf: newShelf(w.Name())}
	hooks, err := c.load(ctx, w, s)
	if err != nil {
		return nil, err
	}
	s.name = w.Name()
	own, err := s.restrict(hooks)
	if err != nil {
		return nil, errors.Join(err, hooks.Close())
	}
	agent, err := host.NewContext(ctx, c.config(own, s))
	if err != nil {
		return nil, err
	}
	err = s.play(ctx, agent)
	if closing := agent.Close(); closing != nil && err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	return s.outcome()
}

// load loads the plugin like an agent does.
func (c *Case) load(ctx context.Context, w plugin.Wasm, s *scene) (*host.Hooks, error) {
	g := &c.Grant
	w.Config, w.Isolation, w.Recorder, w.Operations, w.KV = c.Config, plugin.IsolateCall, s, s.operation, s.shelf.store
	w.Grant = plugin.Grant{
		Reads: g.Reads, Writes: g.Writes, ToolCall: g.ToolCall, ClockNow: g.ClockNow, ClockSleep: g.ClockSleep, Context: g.Context, RandomBytes: g.RandomBytes,
	}
	if g.KV {
		w.Grant.KV = &plugin.KVGrant{}
	}
	if g.HTTPFetch {
		w.Grant.HTTPFetch = &fetch.Policy{Hosts: []string{"test.invalid"}} // never connected to
	}
	if g.ModelGenerate {
		w.Grant.ModelGenerate = &plugin.ModelGrant{Model: modelName}
	}
	return w.Hooks(ctx, host.Env{Name: w.Name(), Agent: "test", Logger: slog.New(&s.log), Models: c.models()})
}

// models returns the models that the plugin may name.
func (c *Case) models() map[string]model.Model {
	out := map[string]model.Model{modelName: scripted.NewTurns()}
	for _, name := range c.Models {
		m := scripted.NewTurns()
		m.Name = name
		out[name] = m
	}
	return out
}

// config configures the agent around the hook: it runs up to the hook and ends after it.
func (c *Case) config(own *host.Hooks, s *scene) host.Config {
	config := host.Config{
		Model:  &scripted.Turns{Name: modelName, Script: []scripted.Turn{scripted.Say("done")}, AfterEnd: scripted.EndRepeat},
		Models: c.models(), Checkpointer: memory.New(), Clock: func() time.Time { return c.Now.Time() },
		Seed: func() uint64 { return seed },
	}
	subject, before := fixedHooks{s.name, own}, fixedHooks{"the case", s.stage()}
	if config.Middleware = []host.Middleware{before, subject}; c.Hook == hookName(abi.AfterModel) || c.Hook == hookName(abi.AfterAgent) {
		config.Middleware = []host.Middleware{subject, before} // after hooks run in reverse order
	}
	for _, name := range own.Uses {
		declared := func(f host.Field) bool { return f.Name == name }
		if !slices.ContainsFunc(own.State, declared) && !slices.ContainsFunc(config.State, declared) {
			config.State = append(config.State, host.Field{Name: name})
		}
	}
	tools := slices.Clone(c.Grant.ToolCall)
	if c.Hook == hookName(abi.WrapToolCall) && (c.Known == nil || *c.Known) {
		tools = append(tools, c.Call.call.Name)
	}
	for _, name := range tools {
		if !slices.ContainsFunc(own.Tools, func(t host.Tool) bool { return t.Spec().Name == name }) {
			config.Tools = append(config.Tools, standIn(name))
		}
	}
	return config
}

// standIn is a tool that never runs.
func standIn(name string) host.Tool {
	return tool.Raw(abi.ToolSpec{Name: name}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput(""), nil
	})
}

// fixedHooks is a middleware with given hooks.
type fixedHooks struct {
	name  string
	hooks *host.Hooks
}

func (r fixedHooks) Name() string { return r.name }

func (r fixedHooks) Hooks(context.Context, host.Env) (*host.Hooks, error) { return r.hooks, nil }

// play runs the agent up to and through the hook.
func (s *scene) play(ctx context.Context, agent *host.Agent) error {
	if s.c.Seen > 0 {
		if _, err := agent.Run(ctx, s.input()); err != nil {
			return fmt.Errorf("the messages seen earlier: %w", err)
		}
	}
	s.active, s.staged = true, false
	result, err := agent.Run(ctx, s.input())
	if s.asked && err == nil {
		in := host.Input{Thread: thread}
		if s.c.Context != nil {
			in.Context = s.c.Context
		}
		for _, waits := range result.Interrupts {
			in.Resume = append(in.Resume, host.Answer{Interrupt: waits.ID, Value: s.answers.Get(waits.Key)})
		}
		_, err = agent.Run(ctx, in)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.recorded == nil && err != nil:
		return err
	case s.recorded == nil:
		return fmt.Errorf("%s was not called: %s", s.c.Hook, s.why(result))
	case err != nil && s.failed == nil:
		s.refused = err
	}
	return nil
}

// input starts a run with a message that the stage replaces.
func (s *scene) input() host.Input {
	in := host.Input{Thread: thread, Messages: []abi.Message{abi.Human("")}}
	if s.c.Context != nil {
		in.Context = s.c.Context
	}
	return in
}

// why explains why a hook was not called.
func (s *scene) why(result *host.Result) string {
	switch s.c.Hook {
	case hookName(abi.WrapToolCall):
		return "its Description lists tools, and the call is to none of them"
	case callTool:
		answer := ""
		for _, m := range result.Messages.All() {
			if m.ToolCallID == s.c.Call.call.ID {
				answer = m.Content.Text()
			}
		}
		return "the host answered the call itself: " + answer
	default:
		return "the plugin does not use it with this configuration"
	}
}

// Record stores what the guest did.
func (s *scene) Record(p *cassette.Plugin, frame *cassette.Frame) {
	if s.recorded == nil {
		s.recorded = frame
		s.recorded.Plugin = p
		s.stored, s.unread = s.shelf.content(context.Background()) // at the end of a run, its own entries are dropped
	}
}

// operation answers an operation that leaves the sandbox.
func (s *scene) operation(op string, _ []byte) (abi.Status, []byte, bool) {
	script, ok := s.c.HostCalls[op]
	if !ok {
		switch op {
		case abi.OpHTTPFetch, abi.OpModelGenerate, abi.OpToolCall, abi.OpRandomBytes:
		default: // the case has a store and a clock of its own
			return 0, nil, false
		}
	}
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	at := s.calls[op]
	s.calls[op]++
	if at >= len(script) {
		s.lacks = append(s.lacks, fmt.Sprintf("host_calls: %s is called %d times but has only %d answers", op, at+1, len(script)))
		return abi.ENOTSUP, nil, true
	}
	return script[at].status, script[at].reply, true
}
