package author

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/internal/unknownkeys"
)

// Finding is what [Check] reports about one plugin, or about one of its hooks.
type Finding struct {
	File     string      `json:"file"`
	Stage    string      `json:"stage"` // read, preflight, link, compile, instantiate, init, describe, configure or hook
	Hook     abi.Hook    `json:"hook,omitempty"`
	OK       bool        `json:"ok"`
	Kind     plugin.Kind `json:"kind,omitempty"`    // kind of the fault; "" if the plugin is not to blame, as for a missing file
	Message  string      `json:"message,omitempty"` // guest text in it is cleaned
	Fuel     uint64      `json:"fuel"`              // fuel used by the hook, or by everything up to configure
	WallMS   float64     `json:"wall_ms"`           // how long it took, in milliseconds, including waiting
	Memory   int64       `json:"memory"`            // size of the largest instance, in bytes; 0 if there was none
	Warnings []Warning   `json:"warnings,omitempty"`
}

// StageHook is the stage of a finding about a hook.
const StageHook = "hook"

// StageRead is the stage in which the plugin's file is read.
const StageRead = "read"

// Check loads a plugin as an agent does, and calls each of its hooks once, in a separate agent whose model asks for one tool
// and then is done. It calls only the given hooks, or all in the Description if none are given. The first finding is about
// the plugin, up to configure; if that succeeded, one finding for each hook follows. Check ends early when ctx does.
func Check(ctx context.Context, w plugin.Wasm, hooks ...abi.Hook) []Finding {
	c := &check{file: w.Path, name: w.Name(), hooks: hooks}
	c.run(ctx, w)
	return c.findings
}

type check struct {
	file     string
	name     string
	wasm     plugin.Wasm
	stage    stage
	hooks    []abi.Hook
	plugin   *plugin.Plugin
	result   wire.Raw // of the first call of the hook that is checked
	findings []Finding
}

// How often, and for how long, a hook is called to see whether it leaks. The fewest calls are enough to see a leak of a MiB
// in each, however slow the machine is.
const (
	leakLeast = 16
	leakMost  = 2_000
	leakTime  = 100 * time.Millisecond
)

// leak warns if the memory keeps growing when a hook is called again and again.
func (c *check) leak(ctx context.Context, name abi.Hook) []Warning {
	subject, err := loadMeasured(ctx, c.wasm)
	if err != nil {
		return nil // the plugin was loaded before, so this is not its fault
	}
	defer subject.close()
	s := situation{name: c.name, stage: c.stage, hook: name, all: []*benchedPlugin{subject}, each: leakTime, batch: 1, least: leakLeast, most: leakMost}
	_ = s.run(ctx) // a fault in another situation is not what this looks for
	leak := subject.growth.leak()
	if leak == 0 {
		return nil
	}
	return []Warning{leakWarning(leak)}
}

// Record keeps the result of a call.
func (c *check) Record(_ *cassette.Plugin, frame *cassette.Frame) {
	if c.result == nil && len(frame.Result) > 0 {
		c.result = frame.Result
	}
}

// keysOf warns about keys of a document that the ABI does not define.
func keysOf[T any](document wire.Raw) (warnings []Warning) {
	if document.IsZero() {
		return nil
	}
	for _, key := range unknownkeys.Find[T](document) {
		warnings = append(warnings, Warning{WarnKeys, key})
	}
	return warnings
}

func (c *check) run(ctx context.Context, w plugin.Wasm) {
	start := time.Now()
	c.wasm, c.stage = w, stageOf(w)
	w.Recorder = c
	p, err := w.Open(environment(w))
	if err != nil {
		c.add(start, Finding{Stage: StageRead}, err)
		return
	}
	c.plugin = p
	defer func() { _ = p.Close() }() // it served only the check, so an error does not matter
	err = p.Load(ctx)
	loaded := Finding{Stage: abi.ExportConfigure, Fuel: p.Usage().LoadFuel}
	if err == nil {
		loaded.Warnings = keysOf[abi.Description](p.Written())
	}
	c.add(start, loaded, err)
	if err != nil {
		return
	}
	all, err := p.Hooks()
	if err != nil {
		c.add(start, Finding{Stage: abi.ExportConfigure}, err)
		return
	}
	wanted := c.hooks
	if len(wanted) == 0 {
		wanted = abi.Hooks()
	}
	for _, name := range wanted {
		switch spec := p.Description().Hooks.Spec(name); {
		case ctx.Err() != nil:
			return
		case spec != nil:
			c.hook(ctx, name, spec, all)
		case len(c.hooks) > 0:
			c.add(time.Now(), Finding{Stage: StageHook, Hook: name}, errors.New("the plugin has no such hook"))
		}
	}
}

// add completes a finding and keeps it.
func (c *check) add(start time.Time, f Finding, err error) {
	f.File, f.OK, f.WallMS = c.file, err == nil, float64(time.Since(start).Microseconds())/1e3
	if c.plugin != nil {
		f.Memory = c.plugin.Usage().Memory
	}
	if err != nil {
		f.Message = clean(err.Error(), maxMessage)
	}
	if fault, ok := errors.AsType[*plugin.Error](err); ok {
		f.Kind, f.Message = fault.Kind, clean(fault.Message, maxMessage)
		if f.Stage != StageHook {
			f.Stage = fault.Stage
		}
	}
	c.findings = append(c.findings, f)
}

// maxMessage is how many characters of an error are reported.
const maxMessage = 1000

// clean makes a text that may be a guest's safe for a terminal, and cuts it to the given number of characters.
func clean(guest string, most int) string { return text.Cut(text.Clean(guest), most) }

// hook calls one hook in an agent that has only that one.
func (c *check) hook(ctx context.Context, name abi.Hook, spec *abi.HookSpec, all *host.Hooks) {
	called := "check"
	if len(spec.Tools) > 0 {
		called = spec.Tools[0]
	}
	start := time.Now()
	f := Finding{Stage: StageHook, Hook: name}
	agent, err := host.New(c.stage.around(host.Config{
		Model: checkModel(called), State: c.stage.state(all), Tools: c.stage.tools(called, all.Tools, "answered"),
		Middleware: []host.Middleware{alone{c.name, only(name, all)}}, RecursionLimit: 10,
	}))
	if err != nil {
		c.add(start, f, err)
		return
	}
	defer func() { _ = agent.Close() }() // it holds nothing that needs closing
	c.result = nil
	err = observe(ctx, agent, c.stage.thread(), &f)
	f.Warnings = keysOf[abi.Result](c.result)
	if err == nil {
		f.Warnings = append(f.Warnings, c.leak(ctx, name)...)
	}
	c.add(start, f, err)
}

// observe runs the agent and returns the outcome of the hook's first call.
func observe(ctx context.Context, agent *host.Agent, thread string, f *Finding) error {
	input := host.Input{Thread: thread, Messages: []abi.Message{abi.Human("This is a check.")}}
	seen := false
	var outcome error
	_, err := agent.RunEvents(ctx, input, func(e host.Event) error {
		if e.Type == host.EventHook && !seen && strings.HasSuffix(e.Step, "."+string(f.Hook)) {
			seen, f.Fuel = true, e.Fuel
			if e.Error != nil {
				outcome = errors.New(e.Error.Message)
			}
		}
		return nil
	})
	fault, isFault := errors.AsType[*plugin.Error](err)
	switch {
	case isFault:
		return fault
	case outcome != nil:
		f.Kind = plugin.KindGuest
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

// checkModel asks for one call of the tool, and then says that it is done.
type checkModel string

func (m checkModel) Info() model.Info { return model.Info{Name: "check"} }

func (m checkModel) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	for _, message := range req.Messages.All() {
		if message.Role == abi.RoleTool {
			return model.Reply(abi.AI("I am done.")), nil
		}
	}
	return model.Reply(abi.AI("", abi.Call("call-1", string(m), map[string]any{"text": "check"}))), nil
}
