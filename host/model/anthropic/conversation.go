package anthropic

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// The roles of the API's messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// turn is a message of the API: what one side says until the other one does.
type turn struct {
	Role    string   `json:"role"`
	Content []object `json:"content"`
}

// nothing is said where the API wants a person to speak, and nobody did.
const nothing = "."

// conversation is a history on its way into a request.
type conversation struct {
	model    string
	thinking string // the type of the setting; "": there is none
	turns    []turn
}

// messages are the messages of the history without the system's.
func (m *Model) messages(all []abi.Message, thinking any) []turn {
	c := conversation{model: m.Name}
	if setting, ok := thinking.(map[string]any); ok {
		c.thinking, _ = setting["type"].(string)
	}
	calls, answers := pair(all)
	for i := range all {
		switch message := &all[i]; message.Role {
		case abi.RoleSystem: // stands elsewhere
		case abi.RoleAI:
			c.add(roleAssistant, c.said(message, calls[i])...)
			c.add(roleUser, results(all, calls[i])...)
		case abi.RoleTool:
			if answers[i] == nil { // the API will say so
				result, shown := resultOf(message, proper(message.ToolCallID))
				c.add(roleUser, append([]object{result}, shown...)...)
			}
		default:
			c.add(roleUser, told(message)...)
			if c.next() != roleAssistant { // an empty message: the answer before it must not go on
				c.add(roleUser, textBlock(nothing))
			}
		}
	}
	return c.finished()
}

// add adds what one side says.
func (c *conversation) add(role string, blocks ...object) {
	if len(blocks) == 0 {
		return
	}
	if last := len(c.turns) - 1; last >= 0 && c.turns[last].Role == role {
		c.turns[last].Content = append(c.turns[last].Content, blocks...)
		return
	}
	c.turns = append(c.turns, turn{role, blocks})
}

// next is whose turn it is.
func (c *conversation) next() string {
	if last := len(c.turns) - 1; last >= 0 && c.turns[last].Role == roleUser {
		return roleAssistant
	}
	return roleUser
}

// finished are the turns as the API takes them: a person speaks first, and an answer that is to go on does not end in
// blanks.
func (c *conversation) finished() []turn {
	if len(c.turns) == 0 || c.turns[0].Role == roleAssistant {
		c.turns = slices.Insert(c.turns, 0, turn{roleUser, []object{textBlock(nothing)}})
	}
	last := c.turns[len(c.turns)-1]
	block := last.Content[len(last.Content)-1]
	if text, ok := block["text"].(string); ok && last.Role == roleAssistant && block["type"] == kindText {
		block["text"] = strings.TrimRight(text, " \t\r\n")
	}
	return c.turns
}

// told is what a person says.
func told(m *abi.Message) (out []object) {
	for _, block := range m.Content.Blocks() {
		if of := userBlock(block); of != nil {
			out = append(out, of)
		}
	}
	return out
}

// said is what the model said, in the order in which it did.
func (c *conversation) said(m *abi.Message, calls []*call) (out []object) {
	keep := c.keepsThoughts(m)
	waiting := make(map[string][]*call, len(calls)) // for their place, by their ids
	for _, c := range calls {
		waiting[c.of] = append(waiting[c.of], c)
	}
	placed := make(map[*call]bool, len(calls))
	for _, block := range m.Content.Blocks() {
		var of object
		switch block.Type() {
		case abi.BlockReasoning:
			if keep {
				of = thoughtBlock(block)
			}
		case ownPrefix + kindToolUse:
			id := block.String("id")
			if first := waiting[id]; len(first) > 0 {
				of, placed[first[0]], waiting[id] = first[0].block(block.Fields()), true, first[1:]
			}
		default:
			of = saidBlock(block)
		}
		if of != nil {
			out = append(out, of)
		}
	}
	for _, c := range calls {
		if !placed[c] {
			out = append(out, c.block(nil))
		}
	}
	for len(out) > 0 && isThought(out[len(out)-1]) { // the API refuses a thought at the end
		out = out[:len(out)-1]
	}
	return out
}

func isThought(block object) bool {
	return block["type"] == kindThinking || block["type"] == kindRedactedThinking
}

// keepsThoughts reports whether what was thought for a message is sent back. It is not if another provider has signed it, or
// if the model does not think now: then the API refuses it in the turn that goes on, and ignores it elsewhere. Newer models
// think if nothing is set, older ones do not; so the thoughts of another model are left out then.
func (c *conversation) keepsThoughts(m *abi.Message) bool {
	by, _ := m.Meta.Get("provider").AsString()
	of, _ := m.Meta.Get("model").AsString()
	switch {
	case by != "" && by != Provider, c.thinking == "disabled":
		return false
	case c.thinking == "" && of != "":
		name := strings.TrimSuffix(c.model, "-latest")
		return strings.Contains(of, name) || strings.Contains(name, of)
	default:
		return true
	}
}

// results are the answers to calls, in their order in the history, and behind them what answers show that cannot stand in
// them.
func results(all []abi.Message, calls []*call) []object {
	answered := slices.DeleteFunc(slices.Clone(calls), func(c *call) bool { return c.answer < 0 })
	slices.SortFunc(answered, func(a, b *call) int { return a.answer - b.answer })
	var out, behind []object
	for _, c := range answered {
		result, shown := resultOf(&all[c.answer], c.id)
		out, behind = append(out, result), append(behind, shown...)
	}
	return append(out, behind...)
}

// resultOf is the answer to a call. That of a failure has texts alone, and not none: the API refuses others. Its cache mark
// stands at the answer, not in it.
func resultOf(m *abi.Message, id string) (result object, shown []object) {
	result = object{"type": kindToolResult, "tool_use_id": id}
	var content []object
	for _, block := range m.Content.Blocks() {
		of := userBlock(block)
		if of == nil {
			continue
		}
		if mark, ok := of[cacheControl]; ok {
			result[cacheControl] = mark
			delete(of, cacheControl)
		}
		if m.Failed() && of["type"] != kindText {
			shown = append(shown, of)
			continue
		}
		content = append(content, of)
	}
	if m.Failed() {
		result["is_error"] = true
		if len(content) == 0 {
			content = append(content, textBlock("The tool failed."))
		}
	}
	if len(content) > 0 {
		result["content"] = content
	}
	return result, shown
}
