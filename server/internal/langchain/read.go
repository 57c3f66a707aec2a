package langchain

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// InvalidError says what is wrong with a message of a client.
type InvalidError struct {
	Key    string // the member that is wrong; "": the message
	Reason string
}

func (e *InvalidError) Error() string {
	if e.Key == "" {
		return "a message is not valid: " + e.Reason
	}
	return fmt.Sprintf("the member %s of a message is not valid: %s", e.Key, e.Reason)
}

func invalid(key, format string, args ...any) error {
	return &InvalidError{Key: key, Reason: fmt.Sprintf(format, args...)}
}

// RemoveAll is the id with which a client removes all messages.
const RemoveAll = "__remove_all__"

// Input is what a client sends as messages.
type Input struct {
	Messages []abi.Message
	Remove   []string // ids of messages to remove
	Reset    bool     // all earlier messages are removed
}

// input has the members of a message that a client may send.
type input struct {
	Type             string          `json:"type"`
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"`
	ID               *string         `json:"id"`
	Name             *string         `json:"name"`
	AdditionalKwargs wire.Map        `json:"additional_kwargs"`
	ResponseMetadata wire.Map        `json:"response_metadata"`
	ToolCalls        []inputCall     `json:"tool_calls"`
	Invalid          []inputInvalid  `json:"invalid_tool_calls"`
	UsageMetadata    *inputUsage     `json:"usage_metadata"`
	ToolCallID       *string         `json:"tool_call_id"`
	Artifact         wire.Raw        `json:"artifact"`
	Status           *string         `json:"status"`
}

type inputCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	ID   *string         `json:"id"`
}

type inputInvalid struct {
	Name  *string `json:"name"`
	Args  *string `json:"args"`
	ID    *string `json:"id"`
	Error *string `json:"error"`
}

type inputUsage struct {
	InputTokens       uint64        `json:"input_tokens"`
	OutputTokens      uint64        `json:"output_tokens"`
	TotalTokens       uint64        `json:"total_tokens"`
	InputTokenDetails inputDetails  `json:"input_token_details"`
	Output            outputDetails `json:"output_token_details"`
}

// Read reads what a client sends as messages: a list of messages, or a single one. A message is an object, a text of the user, or a pair of a
// type and a content. The error is an [*InvalidError].
func Read(raw json.RawMessage) (*Input, error) {
	raw = bytes.TrimSpace(raw)
	parts := []json.RawMessage{raw}
	if len(raw) > 0 && raw[0] == '[' {
		if err := json.Unmarshal(raw, &parts); err != nil {
			return nil, invalid("", "%v", err)
		}
	}
	out := &Input{}
	for _, part := range parts {
		if err := out.add(bytes.TrimSpace(part)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add reads one message.
func (in *Input) add(raw json.RawMessage) error {
	var m input
	switch {
	case len(raw) == 0:
		return invalid("", "it is empty")
	case raw[0] == '"':
		m = input{Type: string(abi.RoleHuman), Content: raw}
	case raw[0] == '[':
		var pair []json.RawMessage
		if err := json.Unmarshal(raw, &pair); err != nil || len(pair) != 2 || json.Unmarshal(pair[0], &m.Type) != nil {
			return invalid("", "a list must have a type and a content, such as [\"human\", \"Hello\"]")
		}
		m.Content = pair[1]
	default:
		if err := json.Unmarshal(raw, &m); err != nil {
			return invalid("", "%v", err)
		}
	}
	kind := m.Type
	if kind == "" {
		kind = m.Role
	}
	if kind == "remove" {
		if m.ID == nil || *m.ID == "" {
			return invalid("id", "a message of the type remove needs the id of the one to remove")
		}
		if *m.ID == RemoveAll {
			*in = Input{Reset: true}
			return nil
		}
		in.Remove = append(in.Remove, *m.ID)
		return nil
	}
	message, err := m.message(kind)
	if err != nil {
		return err
	}
	in.Messages = append(in.Messages, *message)
	return nil
}

// roles are the names that clients use for the roles of messages.
var roles = map[string]abi.Role{
	"human": abi.RoleHuman, "user": abi.RoleHuman, "HumanMessageChunk": abi.RoleHuman, "ai": abi.RoleAI, "assistant": abi.RoleAI, "AIMessageChunk": abi.RoleAI,
	"system": abi.RoleSystem, "developer": abi.RoleSystem, "SystemMessageChunk": abi.RoleSystem, "tool": abi.RoleTool, "ToolMessageChunk": abi.RoleTool,
}

func (m *input) message(kind string) (*abi.Message, error) {
	role, ok := roles[kind]
	switch {
	case kind == "":
		return nil, invalid("type", "it is missing; it is human, ai, system, tool or remove")
	case !ok:
		return nil, invalid("type", "%.64q is not human, ai, system, tool or remove", kind)
	case len(m.Content) == 0 && role != abi.RoleAI:
		return nil, invalid("content", "it is missing")
	}
	out := &abi.Message{Role: role, ID: value(m.ID), Name: value(m.Name), Meta: m.ResponseMetadata}
	if len(m.Content) > 0 {
		content, err := readContent(m.Content)
		if err != nil {
			return nil, err
		}
		out.Content = content
	}
	if len(m.AdditionalKwargs) > 0 {
		out.Meta = out.Meta.With(wire.Map{{Key: additionalKey, Value: m.AdditionalKwargs.Raw()}})
	}
	switch role {
	case abi.RoleAI:
		return out, m.readAnswer(out)
	case abi.RoleTool:
		return out, m.readToolAnswer(out)
	default:
		return out, nil
	}
}

func (m *input) readAnswer(out *abi.Message) error {
	for _, call := range m.ToolCalls {
		args := wire.Map{}
		if len(call.Args) > 0 {
			if err := args.UnmarshalJSON(call.Args); err != nil {
				return invalid("tool_calls", "the arguments of %.64q are not an object", call.Name)
			}
		}
		out.ToolCalls = append(out.ToolCalls, abi.ToolCall{ID: value(call.ID), Name: call.Name, Args: args.Raw()})
	}
	for _, call := range m.Invalid {
		out.InvalidToolCalls = append(out.InvalidToolCalls, abi.InvalidToolCall{
			ID: value(call.ID), Name: value(call.Name), Args: value(call.Args), Error: value(call.Error),
		})
	}
	if u := m.UsageMetadata; u != nil {
		out.Usage = &abi.Usage{
			InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, TotalTokens: u.TotalTokens, CacheReadTokens: u.InputTokenDetails.CacheRead,
			CacheCreationTokens: u.InputTokenDetails.CacheCreation, ReasoningTokens: u.Output.Reasoning,
		}
	}
	return nil
}

func (m *input) readToolAnswer(out *abi.Message) error {
	out.ToolCallID, out.Status = value(m.ToolCallID), value(m.Status)
	if out.ToolCallID == "" {
		return invalid("tool_call_id", "a tool message needs the id of the call that it answers")
	}
	switch out.Status {
	case "success":
		out.Status = ""
	case "", "error":
	default:
		return invalid("status", "%.64q is not success or error", out.Status)
	}
	if !m.Artifact.IsNil() {
		out.Artifact = m.Artifact
	}
	return nil
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
