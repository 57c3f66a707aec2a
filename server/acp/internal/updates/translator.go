package updates

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// Translator translates the events of the runs of a session, in their order. It is not safe for concurrent use.
type Translator struct {
	// Editor describes the calls of tools that belong to the editor; ok is false for other tools. It may be nil.
	Editor func(call *abi.ToolCall) (kind protocol.ToolKind, locations []protocol.Location, ok bool)
	// Window is the number of tokens that the model can read; 0: unknown.
	Window int

	answer answer
	used   uint64           // tokens of the newest model call
	calls  map[string]*call // the newest call with an id of the model
}

// Begin begins a turn: what an earlier one left unfinished does not matter any more.
func (t *Translator) Begin() { t.answer = answer{} }

// Event returns the updates for an event.
func (t *Translator) Event(e *host.Event) []*protocol.Update {
	switch e.Type {
	case host.EventToken:
		return t.answer.token(e)
	case host.EventState:
		return t.state(e)
	case host.EventTool:
		return t.tool(e, "", "")
	case host.EventCustom:
		return t.inner(e, "", "")
	default: // other events show it
		return nil
	}
}

// state translates a change of the state. One that replaces the whole history adds nothing that a person has not seen.
func (t *Translator) state(e *host.Event) []*protocol.Update {
	var out []*protocol.Update
	if !e.Reset {
		for i := range e.Messages {
			out = append(out, t.added(&e.Messages[i])...)
		}
	}
	if plan := planOf(e.State); plan != nil {
		out = append(out, plan)
	}
	return out
}

// added translates a message that is now part of the history.
func (t *Translator) added(m *abi.Message) []*protocol.Update {
	switch m.Role {
	case abi.RoleAI:
		out := t.answer.settle(m)
		for i := range m.ToolCalls {
			out = append(out, t.announce(&m.ToolCalls[i], m.ID))
		}
		return append(out, t.usage(m)...)
	case abi.RoleTool: // of a call that no event has ended, such as a rejected one
		if c := t.calls[m.ToolCallID]; c != nil && !c.over {
			return []*protocol.Update{t.result(c, m)}
		}
	default: // the client has shown what its user said
	}
	return nil
}

// usage says how full the model's context is after an answer.
func (t *Translator) usage(m *abi.Message) []*protocol.Update {
	if m.Usage == nil || t.Window <= 0 {
		return nil
	}
	t.used = m.Usage.InputTokens + m.Usage.OutputTokens
	return t.Spent(nil)
}

// Spent says how full the model's context is, and what the session has cost; nil: nobody knows. The protocol cannot tell the one without the
// other.
func (t *Translator) Spent(cost *protocol.Cost) []*protocol.Update {
	if t.used == 0 || t.Window <= 0 {
		return nil
	}
	return []*protocol.Update{{Kind: protocol.UsageChanged, Usage: &protocol.Usage{Used: t.used, Size: uint64(t.Window), Cost: cost}}}
}

// Over returns the answer of a run that has ended, unless it was shown.
func (t *Translator) Over(result *host.Result) []*protocol.Update {
	id, text := "", ""
	if at := result.Messages.LastAI(); at >= 0 {
		m := result.Messages.At(at)
		id, text = m.ID, spoken(&m)
	}
	if !result.Structured.IsZero() && !json.Valid([]byte(text)) { // the structured answer came as a tool call
		text = result.Answer()
	}
	return t.answer.final(id, text)
}

// maxDepth is how deeply agents may be nested in tools of each other to be shown.
const maxDepth = 8

// inner translates an event of an agent inside a tool: its tool calls are shown, and its answer is the result of the tool.
func (t *Translator) inner(e *host.Event, within, before string) []*protocol.Update {
	for range maxDepth {
		inner, ok := tool.InnerEventOf(e)
		if !ok {
			return nil
		}
		within, before = within+inner.CallID+"/", before+inner.Agent+": "
		switch {
		case inner.Event.Type == host.EventTool && inner.Event.Call != nil:
			return t.tool(&inner.Event, within, before)
		case inner.Event.Type != host.EventCustom:
			return nil
		}
		e = &inner.Event
	}
	return nil
}
