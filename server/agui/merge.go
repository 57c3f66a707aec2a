package agui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/agui/internal/protocol"
)

// merge is what the messages of a client say beyond those of the thread. Clients send the whole conversation each time.
type merge struct {
	added   []abi.Message           // new messages, in their order
	results map[string]*abi.Message // results of the client's tools, by the calls that wait for them
	again   *abi.Message            // the message of the user from which the run is to be performed again; nil: none
}

// merged compares the messages of a client with a thread; nil is a new one. Messages that the thread has are known by their ids, and stay as they
// are. A thread without messages takes all of them. Of other messages a thread takes those of users and of the system, and results that it waits
// for: answers of the agent are its own to keep, and results that nobody waits for were given before, perhaps under another id.
func (in *runAgentInput) merged(before *host.Snapshot, waiting []host.ClientCall) (*merge, error) {
	m := &merge{results: map[string]*abi.Message{}}
	has := map[string]bool{}
	empty := before == nil || before.Messages.Len() == 0
	if !empty {
		for _, one := range before.Messages.All() {
			has[one.ID] = true
		}
	}
	var last *abi.Message // of those that are not of the system
	known := false        // the thread has it
	for i := range in.Messages {
		read, err := in.Messages[i].Read()
		if err != nil {
			return nil, unprocessable("message %d: %v", i+1, err)
		}
		if read == nil || read.ID == protocol.ContextID {
			continue
		}
		if read.Role != abi.RoleSystem {
			last, known = read, has[read.ID] && !empty
		}
		if has[read.ID] {
			continue
		}
		waits := slices.ContainsFunc(waiting, func(c host.ClientCall) bool { return c.ID == read.ToolCallID })
		switch {
		case read.Role == abi.RoleTool && waits:
			m.results[read.ToolCallID] = read
		case empty, read.Role == abi.RoleHuman, read.Role == abi.RoleSystem:
			has[read.ID] = true
			m.added = append(m.added, *read)
		}
	}
	if last != nil && known && last.Role == abi.RoleHuman && len(m.added) == 0 && followed(before, last.ID) {
		m.again = last
	}
	return m, nil
}

// followed reports whether a message of a thread has others after it, apart from those of the system.
func followed(before *host.Snapshot, id string) bool {
	for i := before.Messages.Len() - 1; i >= 0; i-- {
		switch m := before.Messages.Entry(i).Message(); {
		case m.ID == id:
			return false
		case m.Role != abi.RoleSystem:
			return true
		}
	}
	return false
}

// contextMessage returns the message that tells the model what the client says about its surroundings; nil if the thread has it, or there is nothing.
func (in *runAgentInput) contextMessage(before *host.Snapshot) *abi.Message {
	if in.Context == nil || len(*in.Context) == 0 {
		return nil
	}
	var text strings.Builder
	text.WriteString("Context from the user's application:\n")
	for _, c := range *in.Context {
		fmt.Fprintf(&text, "\n%s:\n%s\n", c.Description, c.Value)
	}
	if before != nil {
		if has, ok := before.Messages.Find(protocol.ContextID); ok && has.Content.Text() == text.String() {
			return nil
		}
	}
	return &abi.Message{ID: protocol.ContextID, Role: abi.RoleSystem, Content: abi.Text(text.String())}
}

// clientAnswers returns the results of the client's tools as answers.
func (m *merge) clientAnswers(asked []host.Interrupt, by string) (out []runs.Answer, err error) {
	for i := range asked {
		call, ok := asked[i].ClientCall()
		if !ok || m.results[call.ID] == nil {
			continue
		}
		message := m.results[call.ID]
		result := host.ClientResult{ID: message.ID, Content: message.Content, Failed: message.Failed()}
		value, err := result.Answer()
		if err != nil {
			return nil, unprocessable("the result of the call %.64q cannot be used: %v", call.ID, err)
		}
		out = append(out, runs.Answer{Interrupt: asked[i].ID, Value: value, By: by})
	}
	return out, nil
}
