package plugin

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
)

// Record is what [Try] reports about one plugin, or about one of its hooks.
type Record struct {
	File    string   `json:"file"`
	Stage   string   `json:"stage"` // read, preflight, link, compile, instantiate, init, describe, configure or hook
	Hook    abi.Hook `json:"hook,omitempty"`
	OK      bool     `json:"ok"`
	Kind    Kind     `json:"kind,omitempty"`    // of the fault; "" if the plugin is not to blame, as for a missing file
	Message string   `json:"message,omitempty"` // guest text in it is cleaned
	Fuel    uint64   `json:"fuel"`              // used by the hook, or by everything up to configure
	WallMS  float64  `json:"wall_ms"`           // how long it took, in milliseconds, including waiting
	Memory  int64    `json:"memory"`            // of the largest instance, in bytes; 0 if there was none
}

// StageHook is the stage of a record about a hook.
const StageHook = "hook"

// Try loads a plugin as an agent does, and calls each of its hooks once, in a separate agent whose model asks for one tool
// and then is done. It calls only the given hooks, or all in the Description if none are given. The first record is about
// the plugin, up to configure; if that succeeded, one record for each hook follows. Try ends early when ctx does.
func Try(ctx context.Context, w Wasm, hooks ...abi.Hook) []Record {
	t := &trial{file: w.Path, hooks: hooks}
	t.run(ctx, w)
	return t.records
}

type trial struct {
	file    string
	hooks   []abi.Hook
	plugin  *Plugin
	records []Record
}

func (t *trial) run(ctx context.Context, w Wasm) {
	start := time.Now()
	code, err := w.code()
	if err != nil {
		t.add(start, Record{Stage: "read"}, err)
		return
	}
	t.plugin = newPlugin(code, w, host.Env{Name: w.Name(), Logger: slog.New(slog.DiscardHandler)})
	defer func() { _ = t.plugin.Close() }() // it served only the trial, so an error does not matter
	err = t.plugin.prepare(ctx, code, w)
	t.add(start, Record{Stage: abi.ExportConfigure, Fuel: t.plugin.loadFuel}, err)
	if err != nil {
		return
	}
	all, err := t.plugin.hooks()
	if err != nil {
		t.add(start, Record{Stage: abi.ExportConfigure}, err)
		return
	}
	wanted := t.hooks
	if len(wanted) == 0 {
		wanted = abi.Hooks()
	}
	for _, name := range wanted {
		switch spec := t.plugin.spec.Hooks.Spec(name); {
		case ctx.Err() != nil:
			return
		case spec != nil:
			t.hook(ctx, name, spec, all)
		case len(t.hooks) > 0:
			t.add(time.Now(), Record{Stage: StageHook, Hook: name}, errors.New("the plugin has no such hook"))
		}
	}
}

// add completes a record and keeps it.
func (t *trial) add(start time.Time, r Record, err error) {
	r.File, r.OK, r.WallMS = t.file, err == nil, float64(time.Since(start).Microseconds())/1e3
	if t.plugin != nil {
		r.Memory = t.plugin.pool.measured()
	}
	if err != nil {
		r.Message = clean(err.Error(), 1000)
	}
	if fault, ok := errors.AsType[*Error](err); ok {
		r.Kind, r.Message = fault.Kind, clean(fault.Message, 1000)
		if r.Stage != StageHook {
			r.Stage = fault.Stage
		}
	}
	t.records = append(t.records, r)
}

// hook calls one hook in an agent that has only that one.
func (t *trial) hook(ctx context.Context, name abi.Hook, spec *abi.HookSpec, all *host.Hooks) {
	called := "try"
	if len(spec.Tools) > 0 {
		called = spec.Tools[0]
	}
	start := time.Now()
	r := Record{Stage: StageHook, Hook: name}
	agent, err := host.New(host.Config{
		Model: trialModel(called), Tools: []host.Tool{trialTool(called, all.Tools, "answered")},
		Middleware: []host.Middleware{alone{t.plugin.name, only(name, all)}}, RecursionLimit: 10,
	})
	if err != nil {
		t.add(start, r, err)
		return
	}
	defer func() { _ = agent.Close() }() // it holds nothing that needs closing
	err = t.observe(ctx, agent, &r)
	t.add(start, r, err)
}

// observe runs the agent and returns the outcome of the hook's first call.
func (t *trial) observe(ctx context.Context, agent *host.Agent, r *Record) error {
	input := host.Input{Messages: []abi.Message{abi.Human("This is a trial.")}}
	seen := false
	var outcome error
	_, err := agent.RunEvents(ctx, input, func(e host.Event) error {
		if e.Type == host.EventHook && !seen && strings.HasSuffix(e.Step, "."+string(r.Hook)) {
			seen, r.Fuel = true, e.Fuel
			if e.Error != nil {
				outcome = errors.New(e.Error.Message)
			}
		}
		return nil
	})
	fault, isFault := errors.AsType[*Error](err)
	switch {
	case isFault:
		return fault
	case outcome != nil:
		r.Kind = KindGuest
		return outcome
	case !seen && err != nil:
		return err
	case !seen:
		return errors.New("the hook was not called")
	default:
		return nil
	}
}

// alone is a middleware made of existing hooks.
type alone struct {
	name  string
	hooks *host.Hooks
}

func (a alone) Name() string { return a.name }

func (a alone) Hooks(context.Context, host.Env) (*host.Hooks, error) { return a.hooks, nil }

// only returns the hooks reduced to one of them.
func only(name abi.Hook, all *host.Hooks) *host.Hooks {
	h := &host.Hooks{State: all.State, Tools: all.Tools}
	switch name {
	case abi.BeforeAgent:
		h.BeforeAgent = all.BeforeAgent
	case abi.BeforeModel:
		h.BeforeModel = all.BeforeModel
	case abi.AfterModel:
		h.AfterModel = all.AfterModel
	case abi.AfterAgent:
		h.AfterAgent = all.AfterAgent
	case abi.WrapModelCall:
		h.WrapModelCall = all.WrapModelCall
	case abi.WrapToolCall:
		h.WrapToolCall = all.WrapToolCall
	}
	return h
}

// trialModel asks for one call of the tool, and then says that it is done.
type trialModel string

func (m trialModel) Info() model.Info { return model.Info{Name: "trial"} }

func (m trialModel) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	for _, message := range req.Messages.All() {
		if message.Role == abi.RoleTool {
			return model.Reply(abi.AI("I am done.")), nil
		}
	}
	return model.Reply(abi.AI("", abi.Call("call-1", string(m), map[string]any{"text": "trial"}))), nil
}

// trialTool returns a tool that always gives the same answer, unless the plugin itself has a tool of that name.
func trialTool(name string, own []host.Tool, answer string) host.Tool {
	if slices.ContainsFunc(own, func(t host.Tool) bool { return t.Spec().Name == name }) {
		name = "try_another"
	}
	return tool.Raw(abi.ToolSpec{Name: name, Description: "Answers."}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput(answer), nil
	})
}
