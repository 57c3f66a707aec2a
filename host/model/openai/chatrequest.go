package openai

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// chatReserved lists the fields of a request that settings cannot set.
var chatReserved = []string{"messages", "model", "stream", "n", "functions", "function_call"}

// chatBody makes the body of a request.
func (m *Model) chatBody(req *model.Request, stream bool) (object, error) {
	body, err := provider.Settings(m.provider(), m.Settings, req.Settings, chatReserved...)
	if err != nil {
		return nil, err
	}
	preset := m.preset()
	switch {
	case m.official(), preset.MaxTokens == maxCompletionTokens: // the newer models of OpenAI refuse the other name
		rename(body, maxTokens, maxCompletionTokens)
	case preset.MaxTokens == maxTokens:
		rename(body, maxCompletionTokens, maxTokens)
	}
	body["model"], body["messages"] = m.Name, m.chatMessages(req)
	tools := make([]object, len(req.Tools))
	for i := range req.Tools {
		tools[i] = object{"type": "function", "function": function(&req.Tools[i])}
	}
	choice := chosen(req.ToolChoice, func(name string) object {
		return object{"type": "function", "function": object{"name": name}}
	})
	if tools, err = m.addProviderTools(tools, req.ProviderTools); err != nil {
		return nil, err
	}
	if choice == "required" && preset.ToolChoiceAny != "" {
		choice = preset.ToolChoiceAny
	}
	if err := m.addTools(body, tools, choice); err != nil {
		return nil, err
	}
	if req.Format != nil {
		if !preset.JSONSchema {
			return nil, m.refused(fmt.Errorf("%s does not enforce a schema; set strategy: tool in response_format, "+
				"or leave structured_output out of the model's profile", preset.Title))
		}
		body["response_format"] = object{"type": "json_schema", "json_schema": schemaOf(req.Format)}
	}
	options, given := body["stream_options"]
	if given && (!stream || options == nil) { // the API refuses it without a stream
		delete(body, "stream_options")
	}
	if req.TopLogprobs > 0 {
		m.askForToken(body, req.TopLogprobs)
	}
	if stream {
		body["stream"] = true
		if !given && preset.StreamUsage {
			body["stream_options"] = object{"include_usage": true}
		}
	}
	return body, nil
}

// chatMessages returns the system prompt and the history.
func (m *Model) chatMessages(req *model.Request) []object {
	c := chat{model: m}
	preset := m.preset()
	if !req.System.IsZero() {
		c.add(object{"role": "system", "content": textOf(req.System)})
	}
	all := req.Messages.Messages()
	for i := range all {
		message := &all[i]
		if message.Role != abi.RoleTool {
			c.show()
		}
		switch message.Role {
		case abi.RoleSystem:
			c.add(object{"role": "system", "content": textOf(message.Content)})
		case abi.RoleTool:
			c.result(message)
		case abi.RoleAI:
			c.answer(message, all[i+1:])
		default:
			said := object{"role": "user", "content": chatContent(message.Content)}
			if preset.UserNames && utf8.RuneCountInString(message.Name) <= maxName && nameForm().MatchString(message.Name) {
				said["name"] = message.Name
			}
			c.add(said)
		}
	}
	c.show()
	if len(c.messages) == 0 { // the API refuses an empty list
		c.add(object{"role": "user", "content": ""})
	}
	return c.messages
}

// chat converts a history for a request.
type chat struct {
	model    *Model
	messages []object
	shown    []any // non-text output of tools, held back because it cannot be part of or between answers to calls
	waiting  openCalls
}

func (c *chat) add(message object) { c.messages = append(c.messages, message) }

// show adds the pending output of tools.
func (c *chat) show() {
	if len(c.shown) > 0 {
		c.add(object{"role": "user", "content": c.shown})
	}
	c.shown = nil
}

// result adds the answer to a call. The API has no field for its status, and no room in it for anything but text.
func (c *chat) result(m *abi.Message) {
	var texts []string
	var parts []any
	for _, block := range m.Content.Blocks() {
		switch part, text := chatPart(block); {
		case part == nil:
		case part["type"] == "text":
			texts = append(texts, text)
		default:
			parts = append(parts, part)
		}
	}
	said := strings.Join(texts, "\n")
	if len(parts) > 0 {
		c.shown = append(append(c.shown, textPart("What the tool "+m.Name+" shows (call "+m.ToolCallID+"):")), parts...)
		if said == "" {
			said = "It follows."
		}
	}
	if c.waiting.take(m) {
		c.add(object{"role": "tool", "content": said, "tool_call_id": c.model.idOf(m.ToolCallID)})
	} else {
		c.shown = append(c.shown, textPart(returned(m)+said))
	}
}

// answer adds a message of the model.
func (c *chat) answer(m *abi.Message, following []abi.Message) {
	out := object{"role": "assistant", "content": nil}
	mine := c.model.mine(m) && !c.model.official() // OpenAI sends nothing of its own, and refuses what others sent
	parts, omits := c.said(m, mine, out)
	calls := callsOf(m, following)
	switch text := texts(m.Content, provider.SaidOf, ""); {
	case parts != nil:
		out["content"] = parts
	case omits && text == "" && len(calls) == 0 && len(out) == 2: // nothing is left, and some servers refuse a message without content
		c.waiting = nil
		return
	case text != "" || len(calls) == 0:
		out["content"] = text
	}
	if mine {
		kept(m, calls)
	}
	if len(calls) > 0 {
		out["tool_calls"] = c.model.chatCalls(calls)
	}
	c.waiting = openCallsOf(calls)
	c.add(out)
}

// said returns the parts of a message of the model if some of them are parts that only the server understands, and adds its
// reasoning to the message to send. It reports whether it omits blocks that only another provider understands.
func (c *chat) said(m *abi.Message, mine bool, out object) (parts []any, omits bool) {
	listed := false
	for _, block := range m.Content.Blocks() {
		text := provider.SaidOf(block)
		own, isPart := c.model.partOf(block)
		switch {
		case block.Type() == abi.BlockReasoning && !mine:
			omits = true
		case block.Type() == abi.BlockReasoning && block.String(KeyReasoning) == keyThinking:
			parts, listed = append(parts, thinkingPart(block.Text())), true
		case block.Type() == abi.BlockReasoning:
			sendBack(block, out)
		case isPart && mine:
			parts, listed = append(parts, own), true
		case text != "":
			parts = append(parts, textPart(text))
		case block.Type() != abi.BlockText:
			omits = true
		}
	}
	if !listed {
		return nil, omits
	}
	return parts, omits
}

// chatCalls returns calls in the API's format, with the fields that servers added.
func (m *Model) chatCalls(calls []call) []object {
	out := make([]object, len(calls))
	for i, call := range calls {
		out[i] = object{}
		for key, value := range call.further {
			out[i][key] = value
		}
		out[i]["id"], out[i]["type"] = m.idOf(call.id), "function"
		out[i]["function"] = object{"name": call.name, "arguments": call.arguments}
	}
	return out
}
