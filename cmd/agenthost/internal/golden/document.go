package golden

import (
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// messageEntry is a message with the keys of Message in SPEC.md.
type messageEntry struct{ message abi.Message }

// messageKeys holds the keys of a message in a case.
type messageKeys struct {
	ID         string         `yaml:"id"`
	Role       string         `yaml:"role" strict:"enum=human|ai|tool|system"`
	Content    any            `yaml:"content"` // a text or a list of blocks
	Name       string         `yaml:"name"`
	ToolCalls  []callEntry    `yaml:"tool_calls"`
	ToolCallID string         `yaml:"tool_call_id"`
	Status     string         `yaml:"status" strict:"enum=success|error"`
	Artifact   any            `yaml:"artifact"`
	Meta       map[string]any `yaml:"meta"`
	Usage      map[string]any `yaml:"usage"`
}

// UnmarshalStrict decodes the message.
func (e *messageEntry) UnmarshalStrict(n strictyaml.Node) error {
	var keys messageKeys
	if err := n.Decode(&keys); err != nil {
		return err
	}
	if keys.Role == "" {
		return n.Errorf("the key \"role\" is missing; write human, ai, tool or system")
	}
	var err error
	if e.message, err = keys.message(); err != nil {
		return n.Errorf("%w", err)
	}
	return nil
}

func (k *messageKeys) message() (abi.Message, error) {
	doc := map[string]any{"role": k.Role}
	for key, value := range map[string]string{
		"id": k.ID, "name": k.Name, "tool_call_id": k.ToolCallID, "status": k.Status,
	} {
		if value != "" {
			doc[key] = value
		}
	}
	for key, value := range map[string]any{"content": k.Content, "artifact": k.Artifact} {
		if value != nil {
			doc[key] = value
		}
	}
	for key, value := range map[string]map[string]any{"meta": k.Meta, "usage": k.Usage} {
		if value != nil {
			doc[key] = value
		}
	}
	var m abi.Message
	err := into(&m, doc)
	for i := range k.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, k.ToolCalls[i].call)
	}
	return m, err
}

// into decodes a value as a document.
func into(document interface {
	UnmarshalMsg(b []byte) ([]byte, error)
}, value any,
) error {
	raw, err := wire.Of(value)
	if err != nil {
		return err
	}
	_, err = document.UnmarshalMsg(raw)
	return err
}

// callEntry is a tool call. The default of its id is "call-1".
type callEntry struct{ call abi.ToolCall }

// UnmarshalStrict decodes the call.
func (e *callEntry) UnmarshalStrict(n strictyaml.Node) error {
	keys := struct {
		ID   string         `yaml:"id"`
		Name string         `yaml:"name" strict:"required"`
		Args map[string]any `yaml:"args"`
	}{ID: "call-1"}
	if err := n.Decode(&keys); err != nil {
		return err
	}
	args, err := wire.MapOf(keys.Args)
	if err != nil {
		return n.Errorf("args%w", err)
	}
	e.call = abi.ToolCall{ID: keys.ID, Name: keys.Name, Args: args.Raw()}
	return nil
}

// errorEntry is an Error.
type errorEntry struct {
	Type      string `yaml:"type"`
	Message   string `yaml:"message" strict:"required"`
	Retryable bool   `yaml:"retryable"`
	Data      any    `yaml:"data"`
}

func (e *errorEntry) document() (*abi.Error, error) {
	out := &abi.Error{Type: e.Type, Message: e.Message, Retryable: e.Retryable}
	if out.Type == "" {
		out.Type = "error"
	}
	if e.Data == nil {
		return out, nil
	}
	var err error
	out.Data, err = wire.Of(e.Data)
	return out, err
}

// nextEntry is the result of one call of next: a message, several messages, or an error.
type nextEntry struct {
	response model.Response
	err      *abi.Error
}

// UnmarshalStrict decodes the response, which has the keys of one message or of a ModelResponse.
func (e *nextEntry) UnmarshalStrict(n strictyaml.Node) error {
	if _, failed := n.Get("error"); failed {
		var keys struct {
			Error errorEntry `yaml:"error"`
		}
		err := n.Decode(&keys)
		if err == nil {
			e.err, err = keys.Error.document()
		}
		return err
	}
	if _, several := n.Get("messages"); !several {
		var keys messageKeys
		if err := n.Decode(&keys); err != nil {
			return err
		}
		if keys.Role == "" {
			keys.Role = string(abi.RoleAI)
		}
		m, err := keys.message()
		e.response.Messages = []abi.Message{m}
		return err
	}
	var keys struct {
		Messages   []messageEntry `yaml:"messages"`
		Model      string         `yaml:"model"`
		StopReason string         `yaml:"stop_reason"`
		Structured any            `yaml:"structured"`
	}
	if err := n.Decode(&keys); err != nil {
		return err
	}
	for i := range keys.Messages {
		e.response.Messages = append(e.response.Messages, keys.Messages[i].message)
	}
	e.response.Model, e.response.StopReason = keys.Model, keys.StopReason
	if keys.Structured == nil {
		return nil
	}
	var err error
	e.response.Structured, err = wire.Of(keys.Structured)
	return err
}

// replyEntry is the result of one call of an operation.
type replyEntry struct {
	status abi.Status
	reply  []byte
}

// refusals holds the statuses of refused operations.
var refusals = []abi.Status{
	abi.EINVAL, abi.ENOENT, abi.ETOOBIG, abi.EDENIED, abi.ENOTSUP, abi.EBUSY, abi.ELIMIT, abi.ECONFLICT,
}

// UnmarshalStrict decodes one of the forms. For the keys body and bytes, which hold bytes in SPEC.md, it accepts a text.
func (e *replyEntry) UnmarshalStrict(n strictyaml.Node) error {
	var keys struct {
		Reply   map[string]any `yaml:"reply"`
		Error   *errorEntry    `yaml:"error"`
		Refused string         `yaml:"refused"`
	}
	if err := n.Decode(&keys); err != nil {
		return err
	}
	switch {
	case n.Len() != 1:
		return n.Errorf("an answer needs exactly one of the keys reply, error and refused")
	case keys.Error != nil:
		document, err := keys.Error.document()
		if err != nil {
			return err
		}
		e.status = abi.StatusFailed
		e.reply, err = document.MarshalMsg(nil)
		return err
	case keys.Reply != nil:
		for _, key := range []string{"body", "bytes"} {
			if text, ok := keys.Reply[key].(string); ok {
				keys.Reply[key] = []byte(text)
			}
		}
		raw, err := wire.Of(keys.Reply)
		e.reply = raw
		return err
	default:
		names := make([]string, len(refusals))
		for i, status := range refusals {
			if names[i] = status.String(); names[i] == keys.Refused {
				e.status = status
				return nil
			}
		}
		at, _ := n.Get("refused")
		return at.Unknown("refusal", names)
	}
}

// identified returns the messages, and gives those without an id the ids m1, m2, … by their place.
func identified(prefix string, entries []messageEntry) []abi.Message {
	out := make([]abi.Message, len(entries))
	for i := range entries {
		if out[i] = entries[i].message; out[i].ID == "" {
			out[i].ID = prefix + strconv.Itoa(i+1)
		}
	}
	return out
}
