package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Message is a message as clients send and get it.
type Message struct {
	ID         string          `json:"id"`
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content,omitempty"`
	Name       *string         `json:"name,omitempty"`
	ToolCalls  *[]ToolCall     `json:"toolCalls,omitempty"`
	ToolCallID *string         `json:"toolCallId,omitempty"`
	Error      *string         `json:"error,omitempty"`
}

// ToolCall is a call of a tool in a message.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function FunctionCall `json:"function"`
}

// FunctionCall is what a call calls.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // a JSON object
}

// The roles of messages.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system"
	RoleDeveloper = "developer"
	RoleTool      = "tool"
	RoleReasoning = "reasoning"
	RoleActivity  = "activity"
)

// InvalidError says what is wrong with a message of a client.
type InvalidError struct {
	Member string // the member that is wrong; "": the message
	Reason string
}

func (e *InvalidError) Error() string {
	if e.Member == "" {
		return "it is not valid: " + e.Reason
	}
	return fmt.Sprintf("the member %s is not valid: %s", e.Member, e.Reason)
}

func invalid(member, format string, args ...any) error {
	return &InvalidError{Member: member, Reason: fmt.Sprintf(format, args...)}
}

// Read returns a message of a client. Messages of the roles reasoning and activity are the client's own: they give none, and no error.
func (m *Message) Read() (*abi.Message, error) {
	out := &abi.Message{ID: m.ID}
	switch m.Role {
	case RoleUser:
		out.Role = abi.RoleHuman
	case RoleSystem, RoleDeveloper:
		out.Role = abi.RoleSystem
	case RoleAssistant:
		out.Role = abi.RoleAI
	case RoleTool:
		out.Role = abi.RoleTool
		if m.ToolCallID == nil {
			return nil, invalid("toolCallId", "a message of the role tool needs it")
		}
		out.ToolCallID = *m.ToolCallID
		if m.Error != nil && *m.Error != "" {
			out.Status = abi.StatusError
		}
	case RoleReasoning, RoleActivity:
		return nil, nil //nolint:nilnil // the agent has its own, and the others are none of its business
	default:
		return nil, invalid("role", "%.64q is unknown", m.Role)
	}
	var err error
	if out.Content, err = contentOf(m.Content); err != nil {
		return nil, err
	}
	if out.Role == abi.RoleTool && out.Content.IsZero() && m.Error != nil {
		out.Content = abi.Text(*m.Error)
	}
	if m.Name != nil {
		out.Name = *m.Name
	}
	if m.ToolCalls != nil && out.Role == abi.RoleAI {
		for i := range *m.ToolCalls {
			(*m.ToolCalls)[i].addTo(out)
		}
	}
	return out, nil
}

// addTo adds the call to a message.
func (c *ToolCall) addTo(m *abi.Message) {
	args, err := wire.FromJSON([]byte(c.Function.Arguments), wire.Limits{})
	switch {
	case strings.TrimSpace(c.Function.Arguments) == "":
		args, err = wire.Map(nil).Raw(), nil
	case err == nil && !args.IsMap():
		err = errors.New("the arguments are not an object")
	}
	if err != nil {
		m.InvalidToolCalls = append(m.InvalidToolCalls, abi.InvalidToolCall{
			ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments, Error: err.Error(),
		})
		return
	}
	m.ToolCalls = append(m.ToolCalls, abi.ToolCall{ID: c.ID, Name: c.Function.Name, Args: args})
}

// reasoningID returns the id of the message with the reasoning that led to an answer.
func reasoningID(answer string) string { return answer + "/reasoning" }

// messages returns the messages of the thread for clients. The reasoning of an answer is a message of its own before it.
func (t *Translator) messages() []frame {
	out := []frame{}
	for i := range t.now.messages {
		m := &t.now.messages[i]
		f := frame{"id": m.ID, "content": shown(m.Content)}
		if m.ID == ContextID {
			continue
		}
		switch m.Role {
		case abi.RoleHuman:
			f["role"] = RoleUser
		case abi.RoleSystem:
			f["role"], f["content"] = RoleSystem, m.Content.Text()
		case abi.RoleTool:
			f["role"], f["toolCallId"], f["content"] = RoleTool, m.ToolCallID, t.resultOf(m)
			if m.Failed() {
				f["error"] = failureOf(m)
			}
		default:
			if reasoning := reasoningOf(m); reasoning != "" {
				out = append(out, frame{"id": reasoningID(m.ID), "role": RoleReasoning, "content": reasoning})
			}
			f["role"], f["content"] = RoleAssistant, textOf(m)
			if calls := callsOf(m); len(calls) > 0 {
				f["toolCalls"] = calls
			}
		}
		if m.Name != "" && m.Role != abi.RoleTool {
			f["name"] = m.Name
		}
		out = append(out, f)
	}
	return out
}

// ContextID is the id of the message that holds what the client says about its surroundings. Clients do not get it back.
const ContextID = "ag-ui-context"

// failureOf returns why a tool failed, as far as its message says.
func failureOf(m *abi.Message) string {
	if text := m.Content.Text(); text != "" {
		return text
	}
	return "the tool failed"
}

// callsOf returns the calls of an answer, those with unreadable arguments too: they have answers.
func callsOf(m *abi.Message) []ToolCall {
	out := make([]ToolCall, 0, len(m.ToolCalls)+len(m.InvalidToolCalls))
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		out = append(out, ToolCall{c.ID, "function", FunctionCall{c.Name, argumentsOf(c)}})
	}
	for i := range m.InvalidToolCalls {
		c := &m.InvalidToolCalls[i]
		out = append(out, ToolCall{c.ID, "function", FunctionCall{c.Name, c.Args}})
	}
	return out
}

func argumentsOf(c *abi.ToolCall) string {
	if c.Args.IsNil() {
		return "{}"
	}
	return c.Args.JSON()
}

// textOf returns the text of an answer, or of its refusal.
func textOf(m *abi.Message) string {
	if text := m.Content.Text(); text != "" {
		return text
	}
	return blockTexts(m, abi.BlockRefusal)
}

func reasoningOf(m *abi.Message) string { return blockTexts(m, abi.BlockReasoning) }

func blockTexts(m *abi.Message, kind string) string {
	if m.Content.IsText() {
		return ""
	}
	var out strings.Builder
	for _, block := range m.Content.Blocks() {
		if block.Type() == kind {
			out.WriteString(block.Text())
		}
	}
	return out.String()
}
