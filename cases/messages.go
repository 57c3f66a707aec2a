package cases

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/docdiff"
)

// CompareMessages returns the differences of each message of a conversation from another one, without ids, metadata and usage.
// The result has an entry for each message of the longer conversation.
func CompareMessages(before, after []abi.Message) [][]string {
	out := make([][]string, max(len(before), len(after)))
	for i := range out {
		switch {
		case i >= len(after):
			out[i] = []string{"- " + describeMessage(&before[i])}
		case i >= len(before):
			out[i] = []string{"+ " + describeMessage(&after[i])}
		default:
			out[i] = docdiffLines("", messageDocument(&before[i]), messageDocument(&after[i]))
		}
	}
	return out
}

func describeMessage(m *abi.Message) string {
	var said strings.Builder
	said.WriteString(m.Content.Text())
	for i := range m.ToolCalls {
		fmt.Fprintf(&said, " calls %s %s", m.ToolCalls[i].Name, m.ToolCalls[i].Args.JSON())
	}
	return docdiff.Clean(string(m.Role) + ": " + shown(said.String()))
}

// messageDocument returns what people mean by a message.
func messageDocument(m *abi.Message) wire.Raw {
	kept := *m
	kept.ID, kept.Meta, kept.Usage, kept.Name = "", nil, nil, ""
	if m.Role == abi.RoleTool {
		kept.Name, kept.Status = m.Name, statusOf(m)
	}
	document, err := kept.MarshalMsg(nil)
	if err != nil { // a message has nothing that cannot be encoded
		return nil
	}
	return document
}
