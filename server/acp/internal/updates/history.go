package updates

import (
	"encoding/base64"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// History yields what a client is shown of a thread that it opens.
func (t *Translator) History(at *host.Snapshot, yield func(*protocol.Update) error) error {
	for i := range at.Messages.Len() {
		m := at.Messages.At(i)
		for _, u := range t.past(&m) {
			if err := yield(u); err != nil {
				return err
			}
		}
	}
	t.answer.said = ""
	if plan := planOf(at.State); plan != nil {
		return yield(plan)
	}
	return nil
}

// past translates a message of the history.
func (t *Translator) past(m *abi.Message) []*protocol.Update {
	if m.Role != abi.RoleHuman {
		return t.added(m)
	}
	var out []*protocol.Update
	for _, block := range m.Content.Blocks() {
		switch {
		case block.Type() == abi.BlockText:
			out = append(out, protocol.Chunk(protocol.UserChunk, m.ID, block.Text()))
		case block.Type() == abi.BlockImage && len(block.Data()) > 0:
			image := protocol.ContentBlock{
				Type: protocol.Image, MIMEType: block.String("mime_type"), Data: base64.StdEncoding.EncodeToString(block.Data()),
			}
			out = append(out, &protocol.Update{Kind: protocol.UserChunk, MessageID: m.ID, Content: image})
		default:
			out = append(out, protocol.Chunk(protocol.UserChunk, m.ID, "["+block.Type()+"]"))
		}
	}
	return out
}
