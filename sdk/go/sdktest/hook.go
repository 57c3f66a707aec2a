package sdktest

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// Outcome holds what a hook returned and did. The host has already applied the update, unless the hook failed or asked
// a question.
type Outcome struct {
	abi.Result                     // the plugin's result; empty if it wrote none
	Requests   []sdk.RequestChange // the arguments that wrap_model_call passed to Next; nil becomes an empty change
	Calls      []sdk.CallChange    // the arguments that wrap_tool_call passed to Next
	Events     []abi.EventEmit     // the events that the plugin emitted
	Log        []string            // the plugin's log lines, each after its level: "info cache hit"
	Response   []sdk.Message       // for wrap_model_call: the messages that the outer layers see
	Answer     *sdk.Message        // for wrap_tool_call and a tool: the tool message
}

// call is a call of the plugin that is in progress.
type call struct {
	export  string
	spec    *sdk.HookSpec
	out     Outcome
	last    *Reply // the reply of the last Next
	replies []sdk.Message
	closed  abi.Status
	request *sdk.ModelRequest // nil: this is not wrap_model_call
}

// BeforeAgent calls the hook before_agent.
func (h *Host) BeforeAgent() *Outcome { h.t.Helper(); return h.node(abi.BeforeAgent) }

// BeforeModel calls the hook before_model.
func (h *Host) BeforeModel() *Outcome { h.t.Helper(); return h.node(abi.BeforeModel) }

// AfterModel calls the hook after_model.
func (h *Host) AfterModel() *Outcome { h.t.Helper(); return h.node(abi.AfterModel) }

// AfterAgent calls the hook after_agent.
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

// WrapModelCall calls the hook around a model call. A request without messages gets those of the history.
func (h *Host) WrapModelCall(request sdk.ModelRequest) *Outcome {
	h.t.Helper()
	c := h.begin(abi.WrapModelCall)
	if request.Messages == nil {
		request.Messages = h.view(abi.WrapModelCall, c.spec.Messages, h.Messages)
	}
	in := h.input(abi.WrapModelCall)
	in.Request, c.request = &request, &request
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

// WrapToolCall calls the hook around a tool call. It reports the tool to the hook as a tool that the agent has.
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

// Call makes a call of a tool, for [Host.WrapToolCall] and [Host.Tool]. Its id is "call-1". Call panics on arguments that are not JSON.
func Call(name string, args map[string]any) abi.ToolCall { return abi.Call("call-1", name, args) }

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
	for _, key := range h.description.Context {
		if value := h.Context.Get(key); !value.IsZero() {
			in.Context.Set(key, value)
		}
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

// perform calls the plugin. It reports whether there is an update to apply, which is the case unless the plugin failed
// or asked a question.
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
	if c.closed != 0 { // the host passes on the status that closed the frame
		c.out.Result = abi.Result{}
		return false
	}
	return c.out.Error == nil && len(c.out.Interrupts) == 0
}
