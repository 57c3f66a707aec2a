package anthropic

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// These are the roles of the API's messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// turn is a message of the API: everything one side says before the other side speaks.
type turn struct {
	Role    string   `json:"role"`
	Content []object `json:"content"`
}

// nothing fills a user turn that the API requires but the history does not have.
const nothing = "."

// conversation converts a history for a request.
type conversation struct {
	provider string
	model    string
	thinking string // the type of the setting; "": there is none
	turns    []turn
}

// messages converts the history without system messages.
func (m *Model) messages(all []abi.Message, thinking any) []turn {
	c := conversation{provider: m.provider(), model: m.Name}
	if setting, ok := thinking.(map[string]any); ok {
		c.thinking, _ = setting["type"].(string)
	}
	calls, answers := pair(all)
	for i := range all {
		switch message := &all[i]; message.Role {
		case abi.RoleSystem: // sent elsewhere
		case abi.RoleAI:
			c.add(roleAssistant, c.said(message, calls[i])...)
			c.add(roleUser, results(all, calls[i])...)
		case abi.RoleTool:
			if answers[i] == nil { // the API will report it
				result, shown := resultOf(message, proper(message.ToolCallID))
				c.add(roleUser, append([]object{result}, shown...)...)
			}
		default:
			c.add(roleUser, told(message)...)
			if c.next() != roleAssistant { // the message was empty: the answer before it must not continue
				c.add(roleUser, textBlock(nothing))
			}
		}
	}
	return c.finished()
}

// add adds blocks by one side.
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

// next returns the role whose turn it is.
func (c *conversation) next() string {
	if last := len(c.turns) - 1; last >= 0 && c.turns[last].Role == roleUser {
		return roleAssistant
	}
	return roleUser
}

// finished returns the turns as the API accepts them: the user speaks first, and an answer to be continued does not end in
// white space.
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

// told returns the blocks of a user's message.
func told(m *abi.Message) (out []object) {
	for _, block := range m.Content.Blocks() {
		if of := userBlock(block); of != nil {
			out = append(out, of)
		}
	}
	return out
}

// said returns the blocks of a model's message, in their original order.
func (c *conversation) said(m *abi.Message, calls []*call) (out []object) {
	keep := c.keepsThoughts(m)
	by, _ := m.Meta.Get("provider").AsString()
	waiting := make(map[string][]*call, len(calls)) // calls that still need their place, by id
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
		case abi.BlockRefusal:
			if by != c.provider { // otherwise the API has explained it beside the content
				of = saidBlock(block)
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

// keepsThoughts reports whether to send back the reasoning of a message. It returns false if another provider signed it, or if
// thinking is off: the API then refuses reasoning in the current turn, and ignores it elsewhere. Without a setting, newer
// models think and older ones do not; so the reasoning of other models is omitted.
func (c *conversation) keepsThoughts(m *abi.Message) bool {
	by, _ := m.Meta.Get("provider").AsString()
	of, _ := m.Meta.Get("model").AsString()
	switch {
	case by != "" && by != c.provider, c.thinking == thinkingDisabled:
		return false
	case c.thinking == "" && of != "":
		name := strings.TrimSuffix(c.model, "-latest")
		return strings.Contains(of, name) || strings.Contains(name, of)
	default:
		return true
	}
}

// results returns the answers to calls, in the order of the history, followed by any output that cannot be part of an answer.
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

// resultOf returns the answer to a call. The answer of a failed call has only texts and at least one, because the API refuses
// anything else. Its cache mark is on the answer, not inside it.
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
