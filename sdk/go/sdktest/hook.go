package sdktest

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// Outcome is what a hook said and did. The host has applied its update, unless it failed or asked something.
type Outcome struct {
	abi.Result                     // what the plugin wrote; empty if it had nothing to say
	Requests   []sdk.RequestChange // what wrap_model_call passed to Next; an empty one for nil
	Calls      []sdk.CallChange    // what wrap_tool_call passed to Next
	Events     []abi.EventEmit     // what it emitted
	Log        []string            // its lines, each behind its level: "info cache hit"
	Response   []sdk.Message       // of wrap_model_call: what the outer layers see
	Answer     *sdk.Message        // of wrap_tool_call and a tool: the tool message
}

// call is a call of the plugin that goes on.
type call struct {
	export  string
	spec    *sdk.HookSpec
	out     Outcome
	last    *Reply // what the last Next came to
	replies []sdk.Message
	closed  abi.Status
}

// BeforeAgent calls the hook.
func (h *Host) BeforeAgent() *Outcome { h.t.Helper(); return h.node(abi.BeforeAgent) }

// BeforeModel calls the hook.
func (h *Host) BeforeModel() *Outcome { h.t.Helper(); return h.node(abi.BeforeModel) }

// AfterModel calls the hook.
func (h *Host) AfterModel() *Outcome { h.t.Helper(); return h.node(abi.AfterModel) }

// AfterAgent calls the hook.
func (h *Host) AfterAgent() *Outcome { h.t.Helper(); return h.node(abi.AfterAgent) }

func (h *Host) node(hook abi.Hook) *Outcome {
	h.t.Helper()
	c := h.begin(hook)
	in := h.input(hook)
	in.Messages = h.view(hook, c.spec.Messages, h.Messages)
	if !h.perform(c, in) {
		return &c.out
	}
	for _, field := range c.out.State {
		h.checkField(c, field.Key)
	}
	h.apply(c)
	h.shown(hook)
	return &c.out
}

// WrapModelCall calls the hook around a model call. The messages of a request that has none are the history.
func (h *Host) WrapModelCall(request sdk.ModelRequest) *Outcome {
	h.t.Helper()
	c := h.begin(abi.WrapModelCall)
	if request.Messages == nil {
		request.Messages = h.view(abi.WrapModelCall, c.spec.Messages, h.Messages)
	}
	in := h.input(abi.WrapModelCall)
	in.Request = &request
	if !h.perform(c, in) {
		return &c.out
	}
	h.passOn(c)
	c.out.Response = c.replies
	if change := c.out.Result.Response; change != nil {
		c.out.Response = h.responded(c, change)
	}
	h.apply(c)
	return &c.out
}

// WrapToolCall calls the hook around a call of a tool that the agent has.
func (h *Host) WrapToolCall(made abi.ToolCall) *Outcome {
	h.t.Helper()
	c := h.begin(abi.WrapToolCall)
	if len(c.spec.Tools) > 0 && !slices.Contains(c.spec.Tools, made.Name) {
		h.t.Fatalf("sdktest: %s: the plugin wraps the tools %v, not %q", c.export, c.spec.Tools, made.Name)
	}
	in := h.input(abi.WrapToolCall)
	in.Call, in.Known = &made, true
	in.Messages = h.view(abi.WrapToolCall, c.spec.Messages, h.Messages)
	if h.perform(c, in) {
		h.passOn(c)
		h.answered(c, made)
		h.apply(c)
	}
	return &c.out
}

// Tool calls a tool of the plugin.
func (h *Host) Tool(made abi.ToolCall) *Outcome {
	h.t.Helper()
	h.ready()
	if !slices.ContainsFunc(h.description.Tools, func(s sdk.ToolSpec) bool { return s.Name == made.Name }) {
		h.t.Fatalf("sdktest: the plugin's Description lists no tool %q", made.Name)
	}
	c := &call{export: abi.ExportCallTool, spec: &sdk.HookSpec{}}
	for _, f := range h.description.Fields {
		c.spec.Reads = append(c.spec.Reads, f.Name)
	}
	h.current = c
	in := h.input("")
	in.Step, in.Call = "tools", &made
	in.State = h.fields(c.spec.Reads)
	if h.perform(c, in) {
		h.answered(c, made)
		h.apply(c)
	}
	return &c.out
}

func (h *Host) ready() {
	h.t.Helper()
	if !h.configured {
		h.Configure(nil)
	}
}

func (h *Host) begin(hook abi.Hook) *call {
	h.t.Helper()
	h.ready()
	spec := h.description.Hooks.Spec(hook)
	if spec == nil {
		h.t.Fatalf("sdktest: the plugin has no hook %s with this configuration", hook)
	}
	h.current = &call{export: string(hook), spec: spec}
	h.before = slices.Clone(h.Messages)
	return h.current
}

func (h *Host) input(hook abi.Hook) *abi.HookInput {
	in := &abi.HookInput{
		Run: h.Run, Thread: h.Thread, Step: h.description.Name + "." + string(hook), Seed: h.Seed,
		Now: uint64(h.Now.UnixNano()), Answers: h.Answers,
	}
	if hook != "" {
		h.calls[hook]++
		in.N = h.calls[hook]
		in.State = h.fields(h.description.Hooks.Spec(hook).Reads)
	}
	return in
}

func (h *Host) fields(names []string) (shown sdk.Map) {
	for _, name := range names {
		if value := h.State.Get(name); !value.IsZero() {
			shown.Set(name, value)
		}
	}
	return shown
}

// perform calls the plugin. It reports whether there is an update to apply: it neither failed nor asked.
func (h *Host) perform(c *call, in *abi.HookInput) bool {
	h.t.Helper()
	b, err := in.MarshalMsg(nil)
	if err != nil {
		h.t.Fatalf("sdktest: the input of %s: %v", c.export, err)
	}
	result, code := sdk.Invoke(c.export, b, h)
	h.Answers = nil
	if code == abi.ReturnResult {
		if err := wire.Validate(result, wire.Limits{}); err != nil {
			h.t.Fatalf("sdktest: the result of %s: %v", c.export, err)
		}
		if _, err := c.out.UnmarshalMsg(result); err != nil {
			h.t.Fatalf("sdktest: the result of %s: %v", c.export, err)
		}
	}
	if c.closed != 0 { // the host passes on what closed the frame
		c.out.Result = abi.Result{}
		return false
	}
	return c.out.Error == nil && len(c.out.Interrupts) == 0
}
