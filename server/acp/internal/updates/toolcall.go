package updates

import (
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// call is a tool call that the client knows.
type call struct {
	id     string // unique in the session: a model may repeat its ids
	editor bool   // the editor's tool shows its content itself
	over   bool
}

// maxResult is how many bytes of a tool's result a client is sent.
const maxResult = 64 << 10

// CallID returns the id by which the client knows a call of the model.
func (t *Translator) CallID(id string) string {
	if c := t.calls[id]; c != nil {
		return c.id
	}
	return id
}

// announce shows a call of the model.
func (t *Translator) announce(made *abi.ToolCall, message string) *protocol.Update {
	return t.begin(made, made.ID, message+"/"+made.ID, "", protocol.StatusPending)
}

// begin shows a call that the client does not know. key is what further events know it by.
func (t *Translator) begin(made *abi.ToolCall, key, id, before string, status protocol.ToolStatus) *protocol.Update {
	shown, title, editor := t.describe(made)
	shown.ID, shown.Status = id, status
	if t.calls == nil {
		t.calls = map[string]*call{}
	}
	t.calls[key] = &call{id: id, editor: editor}
	return &protocol.Update{Kind: protocol.CallBegins, ToolCall: &shown, Title: before + title}
}

// tool translates the start or the end of a tool call. within are the ids of the calls of agents that it is made in, and before their names.
func (t *Translator) tool(e *host.Event, within, before string) []*protocol.Update {
	key := within + e.Call.ID
	starts := len(e.Messages) == 0 && e.Error == nil && len(e.Interrupts) == 0
	known := t.calls[key]
	if known == nil || known.over && starts {
		return []*protocol.Update{t.begin(e.Call, key, within+e.Run+"/"+e.Call.ID, before, protocol.StatusInProgress)}
	}
	switch {
	case starts:
		return t.changed(known, protocol.StatusInProgress)
	case len(e.Interrupts) > 0: // it waits for an answer, and starts again then
		return t.changed(known, protocol.StatusPending)
	case e.Error != nil:
		known.over = true
		failed := t.ended(known, protocol.StatusFailed, e.Error.Message)
		return []*protocol.Update{failed}
	default:
		return []*protocol.Update{t.result(known, &e.Messages[0])}
	}
}

func (*Translator) changed(c *call, status protocol.ToolStatus) []*protocol.Update {
	return []*protocol.Update{{Kind: protocol.CallChanged, ToolCall: &protocol.ToolCall{ID: c.id, Status: status}}}
}

// result shows the result of a call.
func (t *Translator) result(c *call, m *abi.Message) *protocol.Update {
	c.over = true
	status := protocol.StatusCompleted
	if m.Failed() {
		status = protocol.StatusFailed
	}
	return t.ended(c, status, contentText(&m.Content))
}

// ended shows the end of a call.
func (*Translator) ended(c *call, status protocol.ToolStatus, output string) *protocol.Update {
	output = text.Head(output, maxResult)
	raw := json.RawMessage(wire.String(strings.ToValidUTF8(output, "\uFFFD")).JSON())
	out := &protocol.Update{Kind: protocol.CallChanged, ToolCall: &protocol.ToolCall{ID: c.id, Status: status, RawOutput: raw}}
	if !c.editor && output != "" {
		out.Content = []protocol.ToolContent{protocol.TextContent(output)}
	}
	return out
}

// contentText returns the text of a result, with a note for each part that is none.
func contentText(content *abi.Content) string {
	var all []byte
	for _, block := range content.Blocks() {
		if len(all) > 0 {
			all = append(all, '\n')
		}
		switch kind := block.Type(); kind {
		case abi.BlockText, abi.BlockRefusal:
			all = append(all, block.Text()...)
		default:
			all = append(all, "["+text.Clean(kind)+"]"...)
		}
	}
	return string(all)
}
