package frames

import (
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/internal/langchain"
)

// stream is what was shown of the message that the model is writing.
type stream struct {
	id    string // that of the message; "": none was begun
	index int    // number of the model call
	calls bool   // pieces of tool calls were shown
	said  strings.Builder
	parts []*partialCall
	sent  map[string]bool // the messages that were shown in pieces
}

// partialCall is a tool call as far as it is written.
type partialCall struct {
	id, name string
	args     strings.Builder
}

// token shows a piece of an answer.
func (t *Translator) token(e *host.Event) {
	s := &t.stream
	if s.id != e.Message || s.index != e.Index {
		sent := s.sent
		if sent == nil {
			sent = map[string]bool{}
		}
		*s = stream{id: e.Message, index: e.Index, sent: sent}
		if t.want[Messages] && !sent[e.Message] {
			t.emit("messages/metadata", map[string]any{e.Message: map[string]any{"metadata": t.metadata()}})
		}
		sent[e.Message] = true
	}
	if e.Reasoning != "" {
		t.piece(langchain.ReasoningChunk(e.Message, e.Reasoning))
	}
	if e.Text != "" {
		t.piece(langchain.TextChunk(e.Message, e.Text))
	}
	if e.CallPiece != nil {
		s.calls = true
		t.piece(langchain.CallChunk(e.Message, e.CallPiece))
	}
	if t.want[Messages] {
		s.add(e)
		t.emit("messages/partial", []json.RawMessage{langchain.Message(s.partial())})
	}
}

// add adds a piece to the message. Only the mode messages shows what came before, so that others need not keep it.
func (s *stream) add(e *host.Event) {
	s.said.WriteString(e.Text)
	if e.CallPiece == nil {
		return
	}
	for len(s.parts) <= e.CallPiece.Index && e.CallPiece.Index < maxCalls {
		s.parts = append(s.parts, &partialCall{})
	}
	if e.CallPiece.Index < len(s.parts) {
		part := s.parts[e.CallPiece.Index]
		part.id, part.name = part.id+e.CallPiece.ID, part.name+e.CallPiece.Name
		part.args.WriteString(e.CallPiece.Args)
	}
}

// maxCalls is how many tool calls of a message are shown while it is written.
const maxCalls = 1000

// partial returns the message as far as it is written. The arguments of a call are there when they are complete.
func (s *stream) partial() *abi.Message {
	m := abi.AI(s.said.String())
	m.ID = s.id
	for _, part := range s.parts {
		args := wire.Map{}
		if err := args.UnmarshalJSON([]byte(part.args.String())); err != nil {
			args = wire.Map{}
		}
		m.ToolCalls = append(m.ToolCalls, abi.ToolCall{ID: part.id, Name: part.name, Args: args.Raw()})
	}
	return &m
}

// piece shows a piece of a message to those who want them one by one.
func (t *Translator) piece(chunk json.RawMessage) {
	if t.want[MessagesTuple] {
		t.emit("messages", []json.RawMessage{chunk, t.tuple()})
	}
	t.chains.piece(chunk)
}

// tuple returns the metadata of messages of the present step.
func (t *Translator) tuple() json.RawMessage {
	if t.task != nil && t.task.tuple != nil {
		return t.task.tuple
	}
	text, err := json.Marshal(t.metadata())
	if err != nil { // the metadata of a run were read from JSON
		text = json.RawMessage("{}")
	}
	if t.task != nil {
		t.task.tuple = text
	}
	return text
}

// answered shows the end of a message that was shown in pieces.
func (t *Translator) answered(e *host.Event) {
	if e.Error != nil || len(e.Messages) == 0 {
		return
	}
	m := &e.Messages[0]
	if s := &t.stream; s.id != "" && (s.id == m.ID || m.ID == "") {
		t.piece(langchain.LastChunk(m, s.id, !s.calls))
		if t.want[Messages] {
			t.emit("messages/partial", []json.RawMessage{langchain.Message(m)})
		}
	}
	t.stream.id = ""
	t.chains.answered(m)
}

// whole shows the messages that a step added and that were not shown in pieces.
func (t *Translator) whole(u *update) {
	if !t.want[Messages] && !t.want[MessagesTuple] {
		return
	}
	for i, text := range u.added {
		id := u.Messages[i].ID
		if t.stream.sent[id] {
			continue
		}
		if t.want[MessagesTuple] {
			t.emit("messages", []json.RawMessage{text, t.tuple()})
		}
		if t.want[Messages] {
			t.emit("messages/metadata", map[string]any{id: map[string]any{"metadata": t.metadata()}})
			t.emit("messages/complete", []json.RawMessage{text})
		}
	}
}
