package updates

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// answer is the answer that arrives.
type answer struct {
	streamed strings.Builder // the text of the current model call
	message  string          // the id of the message that it belongs to
	thought  bool            // the reasoning of the current model call was shown
	index    int             // of the call within its step
	said     string          // the last answer shown
}

// Notes about texts that a client has shown and that count no more. The protocol cannot take them back.
const (
	askedAgain = "\n\n*The model is asked again; ignore its text above.*\n\n"
	changed    = "\n\n*The answer was changed:*\n\n"
)

// token shows a piece.
func (a *answer) token(e *host.Event) []*protocol.Update {
	var out []*protocol.Update
	if e.Index != a.index {
		a.index = e.Index
		if a.streamed.Len() > 0 {
			a.streamed.Reset()
			out = append(out, protocol.Chunk(protocol.AgentChunk, a.message, askedAgain))
		}
	}
	if e.Reasoning != "" {
		a.thought = true
		out = append(out, protocol.Chunk(protocol.ThoughtChunk, e.Message, e.Reasoning))
	}
	if e.Text != "" {
		a.message = e.Message
		a.streamed.WriteString(e.Text)
		out = append(out, protocol.Chunk(protocol.AgentChunk, e.Message, e.Text))
	}
	return out
}

// settle shows of an answer what was not shown.
func (a *answer) settle(m *abi.Message) []*protocol.Update {
	streamed, thought := a.streamed.String(), a.thought
	a.streamed.Reset()
	a.index, a.thought = 0, false
	var out []*protocol.Update
	if !thought {
		out = thoughts(m)
	}
	text := spoken(m)
	switch {
	case strings.TrimSpace(text) == "" && streamed == "":
		return out
	case streamed != "" && !strings.HasPrefix(text, streamed):
		text = changed + text
	default:
		a.said = text
		if text = strings.TrimPrefix(text, streamed); text == "" {
			return out
		}
		return append(out, protocol.Chunk(protocol.AgentChunk, m.ID, text))
	}
	a.said = strings.TrimPrefix(text, changed)
	return append(out, protocol.Chunk(protocol.AgentChunk, m.ID, text))
}

// final shows the final answer of a run unless it was shown last.
func (a *answer) final(id, text string) []*protocol.Update {
	said := a.said
	a.streamed.Reset()
	a.said, a.index, a.thought = "", 0, false
	switch {
	case text == said || text == "":
		return nil
	case said != "":
		text = changed + text
	}
	return []*protocol.Update{protocol.Chunk(protocol.AgentChunk, id, text)}
}

// thoughts shows the reasoning of a whole message.
func thoughts(m *abi.Message) []*protocol.Update {
	var out []*protocol.Update
	for _, block := range m.Content.Blocks() {
		if block.Type() == abi.BlockReasoning && block.String("reasoning") != "" {
			out = append(out, protocol.Chunk(protocol.ThoughtChunk, m.ID, block.String("reasoning")))
		}
	}
	return out
}

// spoken returns the text of a message as it streams: with the text of a refusal.
func spoken(m *abi.Message) string {
	var all strings.Builder
	for _, block := range m.Content.Blocks() {
		if kind := block.Type(); kind == abi.BlockText || kind == abi.BlockRefusal {
			all.WriteString(block.Text())
		}
	}
	return all.String()
}
