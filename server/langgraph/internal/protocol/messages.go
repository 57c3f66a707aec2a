package protocol

import (
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/internal/langchain"
)

// messages is what was shown of messages.
type messages struct {
	id    string // of the message that the model is writing; "": none
	index int    // number of the model call
	parts []*part
	sent  map[string]bool // the messages that were shown
}

// part is a block of a message that is being written.
type part struct {
	kind string // text, reasoning or tool_call_chunk
	call int    // number of the tool call in its message
	id   string // of the tool call
	name string // of the tool
	said strings.Builder
}

const callPart = "tool_call_chunk"

// maxParts is how many blocks of a message are shown while it is written.
const maxParts = 1000

// say adds a frame about messages.
func say(t *Translator, namespace []string, event string, more map[string]any) {
	t.emit(Messages, Messages, namespace, func() any {
		more["event"] = event
		return more
	})
}

// token shows a piece of an answer.
func (m *messages) token(t *Translator, e *host.Event) {
	if m.id != "" && (m.id != e.Message || m.index != e.Index) {
		m.cut(t, "the model is asked again")
	}
	if m.id == "" {
		m.id, m.index, m.parts = e.Message, e.Index, nil
		m.open(t, m.id)
	}
	if e.Reasoning != "" {
		m.piece(t, m.part(t, abi.BlockReasoning, 0, nil), e.Reasoning)
	}
	if e.Text != "" {
		m.piece(t, m.part(t, abi.BlockText, 0, nil), e.Text)
	}
	if call := e.CallPiece; call != nil {
		m.piece(t, m.part(t, callPart, call.Index, &abi.ToolCall{ID: call.ID, Name: call.Name}), call.Args)
	}
}

// open shows that a message of the model begins.
func (m *messages) open(t *Translator, id string) {
	m.sent[id] = true
	metadata := map[string]any{"run_id": t.config.Run.ID, "thread_id": t.config.Run.Thread}
	if t.shared.node != "" {
		metadata["langgraph_node"] = t.shared.node
	}
	say(t, t.namespace, "message-start", map[string]any{"role": abi.RoleAI, "id": id, "metadata": metadata})
}

// part returns the number of a block of the message that is being written, which it shows if it is new; -1 if there are too many.
func (m *messages) part(t *Translator, kind string, call int, named *abi.ToolCall) int {
	for i, p := range m.parts {
		if p.kind == kind && p.call == call {
			return i
		}
	}
	if len(m.parts) == maxParts {
		return -1
	}
	p := &part{kind: kind, call: call}
	block := map[string]any{"type": kind, kind: ""}
	if kind == callPart {
		p.id, p.name = named.ID, named.Name
		block = map[string]any{"type": kind, "id": p.id, "name": p.name, "args": "", "index": call}
	}
	m.parts = append(m.parts, p)
	say(t, t.namespace, "content-block-start", map[string]any{"index": len(m.parts) - 1, "content": block})
	return len(m.parts) - 1
}

// piece shows a piece of a block.
func (m *messages) piece(t *Translator, at int, said string) {
	if at < 0 || said == "" {
		return
	}
	p := m.parts[at]
	p.said.WriteString(said)
	delta := map[string]any{"type": p.kind + "-delta", p.kind: said}
	if p.kind == callPart {
		delta = map[string]any{"type": "tool-call-delta", "args": said}
	}
	say(t, t.namespace, "content-block-delta", map[string]any{"index": at, "delta": delta})
}

// whole shows the end of a message that was shown in pieces. An agent that runs as a tool tells no pieces, so its messages are shown here.
func (m *messages) whole(t *Translator, e *host.Event) {
	if e.Error != nil || len(e.Messages) == 0 {
		return
	}
	answer := &e.Messages[0]
	switch {
	case m.id != "" && (m.id == answer.ID || answer.ID == ""):
		m.finish(t, answer)
	case t.namespace != nil && e.Step == host.ModelStep:
		m.show(t, answer)
	}
}

// finish ends the message that is being written. Parts that were not shown in pieces are shown as a whole.
func (m *messages) finish(t *Translator, answer *abi.Message) {
	calls := answer.ToolCalls
	for i, p := range m.parts {
		var block json.RawMessage
		switch p.kind {
		case abi.BlockText:
			block = langchain.TextBlock(p.said.String())
		case abi.BlockReasoning:
			block = langchain.ReasoningBlock(p.said.String())
		default:
			if len(calls) > 0 && (calls[0].ID == p.id || p.id == "") {
				block, calls = langchain.CallBlock(&calls[0]), calls[1:]
				break
			}
			block = langchain.InvalidCallBlock(&abi.InvalidToolCall{ID: p.id, Name: p.name, Args: p.said.String(), Error: "its arguments cannot be read"})
		}
		say(t, t.namespace, "content-block-finish", map[string]any{"index": i, "content": block})
	}
	rest := abi.Message{Role: abi.RoleAI, ToolCalls: calls}
	for i, block := range langchain.Blocks(&rest) {
		m.block(t, t.namespace, len(m.parts)+i, block)
	}
	m.close(t, t.namespace, answer)
	m.id, m.parts = "", nil
}

// close shows that a message is complete.
func (m *messages) close(t *Translator, namespace []string, answer *abi.Message) {
	more := map[string]any{"metadata": langchain.ResponseMetadata(answer)}
	if usage := langchain.Usage(answer); usage != nil {
		more["usage"] = usage
	}
	say(t, namespace, "message-finish", more)
}

// cut shows that a message stays incomplete. Without one it only counts, so that the places of later frames are the same for those who do not want
// messages.
func (m *messages) cut(t *Translator, why string) {
	if m.id == "" {
		t.shared.place.Index++
		return
	}
	say(t, t.namespace, "error", map[string]any{"message": why})
	delete(m.sent, m.id)
	m.id, m.parts = "", nil
}

// added shows the messages that a step added and that were not shown before. Those of people and of the system are only in the state.
func (m *messages) added(t *Translator, e *host.Event) {
	for i := range e.Messages {
		switch one := &e.Messages[i]; {
		case m.sent[one.ID]:
		case one.Role == abi.RoleAI && e.Step != inputStep:
			m.show(t, one)
		case one.Role == abi.RoleTool && e.Step != inputStep:
			m.toolMessage(t, one)
		}
	}
}

// show shows a message of the model as a whole.
func (m *messages) show(t *Translator, answer *abi.Message) {
	m.open(t, answer.ID)
	for i, block := range langchain.Blocks(answer) {
		m.block(t, t.namespace, i, block)
	}
	m.close(t, t.namespace, answer)
}

// toolMessage shows the result of a call, in a namespace of its own as LangGraph's server does.
func (m *messages) toolMessage(t *Translator, result *abi.Message) {
	m.sent[result.ID] = true
	namespace := t.within("tools:" + result.ToolCallID)
	say(t, namespace, "message-start", map[string]any{"role": abi.RoleTool, "id": result.ID, "tool_call_id": result.ToolCallID})
	for i, block := range langchain.Blocks(result) {
		m.block(t, namespace, i, block)
	}
	say(t, namespace, "message-finish", map[string]any{"metadata": struct{}{}})
}

// block shows a whole block. The clients put texts together from their pieces.
func (m *messages) block(t *Translator, namespace []string, at int, block json.RawMessage) {
	var known struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	begin := any(block)
	if json.Unmarshal(block, &known) == nil && known.Type == abi.BlockText {
		begin = map[string]string{"type": abi.BlockText, abi.BlockText: ""}
	}
	say(t, namespace, "content-block-start", map[string]any{"index": at, "content": begin})
	if known.Type == abi.BlockText && known.Text != "" {
		say(t, namespace, "content-block-delta", map[string]any{"index": at, "delta": map[string]string{"type": "text-delta", abi.BlockText: known.Text}})
	}
	say(t, namespace, "content-block-finish", map[string]any{"index": at, "content": block})
}
