package host

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Values that come from models and callers nest at most wire.MaxValueDepth arrays and maps, so that a guest can put any of them into
// a document of its own, as SPEC.md promises. Without this limit, a model could choose arguments that make a guest fault that
// shows them to a person.

// tooDeepText says that a value nests too deeply.
var tooDeepText = fmt.Sprintf("it nests more than %d arrays and maps", wire.MaxValueDepth)

// tooDeep reports whether a value nests too deeply.
func tooDeep(value wire.Raw) bool { return wire.DeeperThan(value, wire.MaxValueDepth) }

// checkCallersUpdate refuses an update of a caller that has a value which nests too deeply.
func checkCallersUpdate(u *Update) error {
	for i := range u.Messages {
		m := &u.Messages[i]
		for j := range m.ToolCalls {
			if tooDeep(m.ToolCalls[j].Args) {
				return fmt.Errorf("message %d: the arguments of the tool call %q are refused: %s", i, m.ToolCalls[j].ID, tooDeepText)
			}
		}
		if part := deepPart(m); part != "" {
			return fmt.Errorf("message %d: the %s is refused: %s", i, part, tooDeepText)
		}
	}
	for i := range u.Patch {
		if patch, err := u.Patch[i].MarshalMsg(nil); err == nil && tooDeep(patch) {
			return fmt.Errorf("the patch of message %q is refused: %s", u.Patch[i].ID(), tooDeepText)
		}
	}
	for _, p := range u.State {
		if tooDeep(p.Value) {
			return fmt.Errorf("the value of field %q is refused: %s", p.Key, tooDeepText)
		}
	}
	return nil
}

// deepPart names a part of a message, other than its calls, that nests too deeply; "" if there is none.
func deepPart(m *abi.Message) string {
	if tooDeep(m.Artifact) {
		return "artifact"
	}
	if len(m.Meta) > 0 && tooDeep(m.Meta.Raw()) {
		return "meta"
	}
	if !m.Content.IsText() {
		if content, err := m.Content.MarshalMsg(nil); err == nil && tooDeep(content) {
			return "content"
		}
	}
	return ""
}

// withoutDeepValues makes calls of a model's answer malformed whose arguments nest too deeply; the answer to such a call says why. It
// returns an error if another part does. The messages are the caller's own; their calls are not.
func withoutDeepValues(messages []abi.Message) error {
	for i := range messages {
		m := &messages[i]
		if part := deepPart(m); part != "" {
			return fmt.Errorf("the %s of its answer is refused: %s", part, tooDeepText)
		}
		if !slices.ContainsFunc(m.ToolCalls, func(c abi.ToolCall) bool { return tooDeep(c.Args) }) {
			continue
		}
		calls := m.ToolCalls
		m.ToolCalls, m.InvalidToolCalls = nil, slices.Clone(m.InvalidToolCalls)
		for _, c := range calls {
			if !tooDeep(c.Args) {
				m.ToolCalls = append(m.ToolCalls, c)
				continue
			}
			m.InvalidToolCalls = append(m.InvalidToolCalls, abi.InvalidToolCall{
				ID: c.ID, Name: c.Name, Args: c.Args.JSON(), Error: "The arguments are refused: " + tooDeepText + ".",
			})
		}
	}
	return nil
}
