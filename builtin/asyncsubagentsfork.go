package builtin

import (
	"encoding/base64"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// userMessage returns a list with one message of the user, as the API takes it.
func userMessage(content string) wire.Raw {
	message := wire.Map{{Key: "content", Value: wire.String(content)}, {Key: "role", Value: wire.String("user")}}
	return append(wire.AppendArrayHeader(nil, 1), message.Raw()...)
}

// messages returns what the subagent learns about its task.
func (a *remoteAgent) messages(rt *host.Runtime, description string) wire.Raw {
	if a.Mode != modeFork {
		return userMessage(description)
	}
	history := conversation(rt.State().Messages())
	out := wire.AppendArrayHeader(nil, history.Len()+1)
	for _, m := range history.All() {
		out = append(out, remoteMessage(m).Raw()...)
	}
	task := abi.Human(forkPreamble + description)
	return append(out, remoteMessage(&task).Raw()...)
}

// remoteMessage returns a message in LangChain's form. Artifacts and meta are data of this agent, and stay here.
func remoteMessage(m *abi.Message) wire.Map {
	out := wire.Map{}
	out.Set("type", wire.String(string(m.Role)))
	out.Set("content", remoteContent(m.Content))
	for _, text := range []struct{ key, value string }{
		{"id", m.ID}, {"name", m.Name}, {"status", m.Status}, {"tool_call_id", m.ToolCallID},
	} {
		if text.value != "" {
			out.Set(text.key, wire.String(text.value))
		}
	}
	if len(m.ToolCalls) > 0 {
		calls := wire.AppendArrayHeader(nil, len(m.ToolCalls))
		for i := range m.ToolCalls {
			call := &m.ToolCalls[i]
			calls = append(calls, wire.Map{
				{Key: "args", Value: call.Args},
				{Key: "id", Value: wire.String(call.ID)},
				{Key: "name", Value: wire.String(call.Name)},
				{Key: "type", Value: wire.String("tool_call")},
			}.Raw()...)
		}
		out.Set("tool_calls", calls)
	}
	return out
}

// remoteContent returns content whose media are in base64, because JSON has no bytes. Media that filesystem moved into files of this
// agent become a text, which tells the subagent that they are missing.
func remoteContent(content abi.Content) wire.Raw {
	if content.IsText() {
		return wire.String(content.Text())
	}
	blocks := content.Blocks()
	out := wire.AppendArrayHeader(nil, len(blocks))
	for _, block := range blocks {
		fields := block.Fields()
		if fields.Has(blobKey) {
			fields = abi.TextBlock(missingBlobText).Fields()
		}
		if data, ok := fields.Get("data").AsBytes(); ok {
			fields = fields.With(wire.Map{{Key: "base64", Value: wire.String(base64.StdEncoding.EncodeToString(data))}})
			fields.Delete("data")
		}
		out = append(out, fields.Raw()...)
	}
	return out
}
