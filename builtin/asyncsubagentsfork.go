package builtin

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/client"
)

// userMessage returns a list with one message of the user, as the API takes it.
func userMessage(content string) wire.Raw {
	message := wire.Map{{Key: "content", Value: wire.String(content)}, {Key: "role", Value: wire.String("user")}}
	return append(wire.AppendArrayHeader(nil, 1), message.Raw()...)
}

// messages returns what the subagent learns about its task.
func (a *remoteAgent) messages(rt *host.Runtime, description string) (wire.Raw, error) {
	if a.Mode != modeFork {
		return userMessage(description), nil
	}
	history := conversation(rt.State().Messages())
	out := make([]abi.Message, 0, history.Len()+1)
	for _, m := range history.All() {
		out = append(out, inherited(m))
	}
	return client.WriteMessages(append(out, abi.Human(forkPreamble+description))...)
}

// inherited returns a message as a subagent elsewhere gets it. Artifacts, meta and usage are data of this agent, and stay here. Media that filesystem
// moved into files of this agent become a text, which tells the subagent that they are missing.
func inherited(m *abi.Message) abi.Message {
	out := *m
	out.Artifact, out.Meta, out.Usage = nil, nil, nil
	if m.Content.IsText() {
		return out
	}
	blocks := slices.Clone(m.Content.Blocks())
	for i := range blocks {
		if blocks[i].Fields().Has(blobKey) {
			blocks[i] = abi.TextBlock(missingBlobText)
		}
	}
	out.Content = abi.Blocks(blocks...)
	return out
}
