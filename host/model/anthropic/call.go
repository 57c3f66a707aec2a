package anthropic

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// call is a tool call in the history, with its answer.
type call struct {
	of        string // its id in the history
	id        string // its id in the request
	name      string
	args      wire.Raw // a map
	malformed bool
	answer    int // index of the message that answers it; -1: none
}

// pair finds the calls of each message and their answers. An answer belongs to the last message before it that has a call with
// that id. Ids of calls are unique in one message here, but the API wants them unique in all messages.
func pair(all []abi.Message) (calls [][]*call, answers []*call) {
	calls, answers = make([][]*call, len(all)), make([]*call, len(all))
	open := map[string]*call{}
	for i := range all {
		m := &all[i]
		switch m.Role {
		case abi.RoleAI:
			calls[i] = callsOf(m)
			for _, c := range calls[i] {
				open[c.of] = c
			}
		case abi.RoleTool:
			if c := open[m.ToolCallID]; c != nil {
				c.answer, answers[i] = i, c
				delete(open, m.ToolCallID)
			}
		default: // the others have no calls
		}
	}
	names := namer{used: map[string]bool{}, next: map[string]int{}}
	for i := range calls {
		calls[i] = slices.DeleteFunc(calls[i], func(c *call) bool { return c.malformed && c.answer < 0 })
		for _, c := range calls[i] {
			c.id = names.unique(proper(c.of))
		}
	}
	return calls, answers
}

// callsOf returns the calls of a message.
func callsOf(m *abi.Message) []*call {
	out := make([]*call, 0, len(m.ToolCalls)+len(m.InvalidToolCalls))
	for _, c := range m.ToolCalls {
		out = append(out, &call{of: c.ID, name: proper(c.Name), args: arguments(c.Args), answer: -1})
	}
	for _, c := range m.InvalidToolCalls {
		args, err := wire.FromJSON([]byte(c.Args), wire.Limits{})
		if err != nil {
			args = nil
		}
		out = append(out, &call{of: c.ID, name: proper(c.Name), args: arguments(args), malformed: true, answer: -1})
	}
	return out
}

func arguments(args wire.Raw) wire.Raw {
	if !args.IsMap() || args.JSON() == "null" {
		return wire.Map(nil).Raw()
	}
	return args
}

// block returns the call for the request, with extra keys of the answer that it came in.
func (c *call) block(came wire.Map) object {
	out := objectOf(came)
	out["type"], out["id"], out["name"], out["input"] = kindToolUse, c.id, c.name, c.args
	return out
}

// maxName is the maximum length of a name, in bytes.
const maxName = 128

// proper converts a name to what the API accepts: letters, digits, "_" and "-".
func proper(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, name)
	return cmp.Or(name[:min(len(name), maxName)], "_")
}

// namer makes unused ids.
type namer struct {
	used map[string]bool
	next map[string]int
}

func (n *namer) unique(id string) string {
	out := id
	for n.used[out] {
		n.next[id]++
		out = id + "_" + strconv.Itoa(n.next[id]+1)
	}
	n.used[out] = true
	return out
}
