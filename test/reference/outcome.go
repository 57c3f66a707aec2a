package reference

import (
	"maps"
	"regexp"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/test/reference/probe"
)

// Outcome is the outcome of a run.
type Outcome struct {
	Messages   []abi.Message
	State      wire.Map // the other returned fields
	Structured wire.Raw
	Interrupts []wire.Raw // values of the interrupts
	Next       []string   // next steps, with static breakpoints
	Failure    *Failure   // nil: the run succeeded
	Log        []string
	Status     host.Status
	Events     []host.Event

	err       error
	requests  []*request
	decisions []*decided
	moderated []moderated
	remote    []remoteRequest
	runs      []toolRun
}

// Err returns the error of the run.
func (o *Outcome) Err() error { return o.err }

// ModelRequests returns the messages of each model request, the system prompt first.
func (o *Outcome) ModelRequests() [][]abi.Message {
	out := make([][]abi.Message, len(o.requests))
	for i, r := range o.requests {
		out[i] = r.messages
	}
	return out
}

// Document shows the outcome with the keys of an expected run.
func (o *Outcome) Document() map[string]any {
	out := map[string]any{
		"messages": messageDocuments(o.Messages), "state": withoutTimes(mapDocument(o.State)), "structured_response": value(o.Structured),
		"interrupts": list(o.Interrupts, value), "next": list(o.Next, text), "log": list(o.Log, text),
		"model_requests": list(o.requests, (*request).document), "tool_runs": list(o.runs, toolRun.document),
		"decision_requests":   list(o.decisions, (*decided).document),
		"moderation_requests": list(o.moderated, moderated.document),
		"remote_requests":     list(o.remote, remoteRequest.document),
	}
	if f := o.Failure; f != nil {
		out["error"] = map[string]any{"phase": f.Phase, "kind": f.Kind, "type": f.Type, "message": f.Message}
	}
	return out
}

// withoutTimes removes from a state the times of files and of remote tasks, which the files leave out.
func withoutTimes(state any) any {
	fields, _ := state.(map[string]any)
	for field, times := range map[string][]string{
		"files": {"created_at", "modified_at"}, "async_tasks": {"created_at", "last_checked_at", "last_updated_at"},
	} {
		entries, _ := fields[field].(map[string]any)
		for _, entry := range entries {
			if keys, ok := entry.(map[string]any); ok {
				maps.DeleteFunc(keys, func(key string, _ any) bool { return slices.Contains(times, key) })
			}
		}
	}
	return state
}

func (r *request) document() any {
	out := map[string]any{
		"model": r.model, "message_count": int64(len(r.messages)), "tools": list(r.tools, text),
		"messages": messageDocuments(r.messages),
	}
	if len(r.deferred) > 0 {
		out["deferred_tools"] = list(r.deferred, text)
	}
	if len(r.served) > 0 {
		out["provider_tools"] = list(r.served, mapDocument)
	}
	if r.toolChoice != "" {
		out["tool_choice"] = r.toolChoice
	}
	if len(r.settings) > 0 {
		out["settings"] = mapDocument(r.settings)
	}
	if r.native {
		out["native_response_format"] = true
	}
	if r.structured {
		out["structured"] = true
	}
	return out
}

func (r toolRun) document() any {
	return map[string]any{"id": r.id, "name": r.name, "args": value(r.args)}
}

func messageDocuments(messages []abi.Message) []any {
	return list(messages, func(m abi.Message) any { return messageDocument(&m) })
}

// messageDocument shows a message with the keys of the format. It leaves out parts that the message does not have.
func messageDocument(m *abi.Message) map[string]any {
	out := map[string]any{"role": string(m.Role), "content": contentDocument(m.Content)}
	if m.ID != "" {
		out["id"] = m.ID
	}
	if m.Name != "" {
		out["name"] = m.Name
	}
	if len(m.ToolCalls) > 0 {
		out["tool_calls"] = list(m.ToolCalls, func(c abi.ToolCall) any {
			return map[string]any{"id": c.ID, "name": c.Name, "args": value(c.Args)}
		})
	}
	if len(m.InvalidToolCalls) > 0 {
		out["invalid_tool_calls"] = list(m.InvalidToolCalls, func(c abi.InvalidToolCall) any {
			return map[string]any{"id": orNull(c.ID), "name": orNull(c.Name), "args": c.Args, "error": orNull(c.Error)}
		})
	}
	if m.Usage != nil {
		out["usage"] = map[string]any{
			"input_tokens": m.Usage.InputTokens, "output_tokens": m.Usage.OutputTokens, "total_tokens": m.Usage.TotalTokens,
		}
	}
	if provider, ok := m.Meta.Get(probe.ProviderKey).AsString(); ok {
		out["provider"] = provider
	}
	if m.Role == abi.RoleTool {
		out["tool_call_id"] = m.ToolCallID
		out["status"] = abi.StatusSuccess
		if m.Failed() {
			out["status"] = abi.StatusError
		}
	}
	return out
}

// contentDocument returns a text, or a list of blocks.
func contentDocument(c abi.Content) any {
	const theirs = "[read_file: the requested file was not attached "
	if c.IsText() {
		return notAttached.ReplaceAllString(c.Text(), theirs)
	}
	blocks := append([]abi.Block(nil), c.Blocks()...)
	for i, block := range blocks {
		if notAttached.MatchString(block.Text()) {
			blocks[i] = abi.TextBlock(notAttached.ReplaceAllString(block.Text(), theirs))
		}
	}
	raw, _ := abi.Blocks(blocks...).MarshalMsg(nil)
	return value(raw)
}

// notAttached begins the notice of unsupported_content about what read_file has not read. The reference names read_file there too.
var notAttached = regexp.MustCompile(`^\[This (image|audio|video|file) was not attached `)

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func text(s string) any { return s }

// value decodes a value. If that fails, it returns the error, which equals nothing.
func value(raw wire.Raw) any {
	if raw.IsZero() {
		return nil
	}
	v, err := raw.Value()
	if err != nil {
		return err
	}
	return v
}

func mapDocument(m wire.Map) any { return value(m.Raw()) }

func list[T any](items []T, document func(T) any) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = document(item)
	}
	return out
}
