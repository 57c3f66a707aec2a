package reference

import (
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// Expected is the expected outcome of a run: the decoded keys of the file. Only these keys are compared.
type Expected map[string]any

// contains is the key of an object that replaces a string of which only parts are compared.
const contains = "$contains"

// Refused reports whether the agent must not be built.
func (e Expected) Refused() bool {
	failure, _ := e["error"].(map[string]any)
	return failure["phase"] == "build"
}

func readExpected(objects []*strict.Object) []Expected {
	out := make([]Expected, len(objects))
	for i, o := range objects {
		e := Expected{}
		for _, key := range o.Keys() {
			e[key], _ = o.Raw(key).Value()
		}
		checkExpected(o)
		out[i] = e
	}
	return out
}

// checkExpected refuses keys and values that the format does not know.
func checkExpected(o *strict.Object) {
	for _, key := range o.Keys() {
		switch key {
		case "messages":
			for _, m := range o.Objects(key) {
				checkMessage(m)
			}
		case "state":
			o.Map(key)
		case "structured_response":
		case "interrupts":
			o.Items(key)
		case "next":
			readBreakpoints(o, key)
		case "error":
			checkError(o.Object(key))
		case "model_requests":
			for _, r := range o.Objects(key) {
				checkRequest(r)
			}
		case "decision_requests":
			for _, r := range o.Objects(key) {
				checkDecision(r)
			}
		case "moderation_requests":
			for _, r := range o.Objects(key) {
				r.Need("model", "input")
				checkText(r, "model")
				checkText(r, "input")
				_ = r.Done()
			}
		case "remote_requests":
			for _, r := range o.Objects(key) {
				checkRemote(r)
			}
		case "tool_runs":
			for _, run := range o.Objects(key) {
				run.Need("id", "name", "args")
				checkText(run, "id")
				checkText(run, "name")
				run.Map("args")
				_ = run.Done()
			}
		case "log":
			for _, item := range o.Items(key) {
				checkTextValue(o, key, item)
			}
		default:
			o.Fail(key, "is unknown in an expected run")
		}
	}
}

func checkMessage(o *strict.Object) {
	o.Need("role")
	role := o.OneOf("role", "human", "ai", "tool", "system")
	if raw := o.Raw("content"); !raw.IsZero() && !raw.IsArray() {
		checkTextValue(o, "content", raw)
	}
	checkText(o, "id")
	checkText(o, "name")
	switch role {
	case "ai":
		for _, call := range o.Objects("tool_calls") {
			checkCall(call)
			call.Map("args")
			_ = call.Done()
		}
		for _, call := range o.Objects("invalid_tool_calls") {
			checkCall(call)
			checkText(call, "args")
			checkText(call, "error")
			_ = call.Done()
		}
		if usage := o.Object("usage"); usage != nil {
			usage.Int("input_tokens", 0)
			usage.Int("output_tokens", 0)
			usage.Int("total_tokens", 0)
			_ = usage.Done()
		}
		checkText(o, "provider")
	case "tool":
		checkText(o, "tool_call_id")
		checkText(o, "status")
	}
	_ = o.Done()
}

func checkCall(o *strict.Object) {
	o.Need("id", "name", "args")
	checkText(o, "id")
	checkText(o, "name")
}

func checkError(o *strict.Object) {
	if o == nil {
		return
	}
	o.Need("phase", "kind")
	o.OneOf("phase", "build", "run")
	o.OneOf("kind", kinds()...)
	checkText(o, "type")
	checkText(o, "message")
	_ = o.Done()
}

func checkRequest(o *strict.Object) {
	o.Need("model", "message_count", "tools")
	checkText(o, "model")
	checkText(o, "tool_choice")
	o.Int("message_count", 0)
	for _, item := range o.Items("tools") {
		checkTextValue(o, "tools", item)
	}
	for _, item := range o.Items("deferred_tools") {
		checkTextValue(o, "deferred_tools", item)
	}
	for _, tool := range o.Objects("provider_tools") {
		readProviderTool(tool)
	}
	o.Map("settings")
	o.True("native_response_format")
	o.True("structured")
	for _, m := range o.Objects("messages") {
		checkMessage(m)
	}
	_ = o.Done()
}

// checkText accepts a string, null, or the parts of a string.
func checkText(o *strict.Object, key string) {
	if raw := o.Raw(key); !raw.IsZero() && !raw.IsNil() {
		checkTextValue(o, key, raw)
	}
}

func checkTextValue(o *strict.Object, key string, raw wire.Raw) {
	if _, ok := raw.AsString(); ok {
		return
	}
	if !raw.IsMap() {
		o.Fail(key, "must be a string")
		return
	}
	parts := strict.Open(raw, o.Path()+"."+key)
	parts.Need(contains)
	parts.Texts(contains)
	if err := parts.Done(); err != nil {
		o.Fail(key, err.Error())
	}
}
