package host

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// keepLimits are the limits within which a message or a field can be kept and read again. Plugins have their own, lower limits.
var keepLimits = wire.Limits{MaxBytes: 1 << 30, MaxNodes: 1 << 26}

// checkValue returns an error for a value that could not be read again.
func checkValue(value wire.Raw) error {
	if value.IsZero() {
		return nil
	}
	return wire.Validate(value, keepLimits)
}

// clean replaces everything in a text that is not UTF-8. Programs and files produce such bytes, and requests to models are JSON.
func clean(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// sanitizeAll returns messages that can be kept; the given ones if all can. It repairs texts, and returns an error for a part that
// is not msgpack.
func sanitizeAll(messages []abi.Message) ([]abi.Message, error) {
	owned := false
	for i := range messages {
		if !owned && !isClean(&messages[i]) {
			messages, owned = slices.Clone(messages), true
		}
		if err := sanitize(&messages[i]); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

// sanitize makes a message fit to be kept, see sanitizeAll.
func sanitize(m *abi.Message) error {
	if !isClean(m) {
		repairTexts(m)
	}
	return checkParts(m)
}

// isClean reports whether all texts of a message are UTF-8.
func isClean(m *abi.Message) bool {
	valid := utf8.ValidString
	if !valid(m.ID) || !valid(m.Name) || !valid(m.ToolCallID) || !valid(string(m.Role)) || !valid(m.Status) {
		return false
	}
	if m.Content.IsText() && !valid(m.Content.Text()) {
		return false
	}
	for i := range m.ToolCalls {
		if c := &m.ToolCalls[i]; !valid(c.ID) || !valid(c.Name) {
			return false
		}
	}
	for i := range m.InvalidToolCalls {
		if c := &m.InvalidToolCalls[i]; !valid(c.ID) || !valid(c.Name) || !valid(c.Args) || !valid(c.Error) {
			return false
		}
	}
	for i := range m.Meta {
		if !valid(m.Meta[i].Key) {
			return false
		}
	}
	return true
}

// repairTexts makes the texts of a message UTF-8. It copies what it changes, since other messages may share it.
func repairTexts(m *abi.Message) {
	m.ID, m.Name, m.ToolCallID = clean(m.ID), clean(m.Name), clean(m.ToolCallID)
	m.Role, m.Status = abi.Role(clean(string(m.Role))), clean(m.Status)
	if m.Content.IsText() {
		m.Content = abi.Text(clean(m.Content.Text()))
	}
	var meta wire.Map
	for _, p := range m.Meta {
		meta.Set(clean(p.Key), p.Value)
	}
	m.Meta = meta
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		c.ID, c.Name = clean(c.ID), clean(c.Name)
	}
	m.InvalidToolCalls = slices.Clone(m.InvalidToolCalls)
	for i := range m.InvalidToolCalls {
		c := &m.InvalidToolCalls[i]
		c.ID, c.Name, c.Args, c.Error = clean(c.ID), clean(c.Name), clean(c.Args), clean(c.Error)
	}
}

// checkParts returns an error for a part of a message that could not be read again.
func checkParts(m *abi.Message) error {
	if err := checkValue(m.Artifact); err != nil {
		return fmt.Errorf("the artifact of a message cannot be kept: %w", err)
	}
	for i := range m.ToolCalls {
		if err := checkValue(m.ToolCalls[i].Args); err != nil {
			return fmt.Errorf("the arguments of the tool call %q cannot be kept: %w", m.ToolCalls[i].ID, err)
		}
	}
	if len(m.Meta) > 0 {
		if err := checkValue(m.Meta.Raw()); err != nil {
			return fmt.Errorf("the meta of a message cannot be kept: %w", err)
		}
	}
	if m.Content.IsText() {
		return nil
	}
	content, err := m.Content.MarshalMsg(nil)
	if err == nil {
		err = checkValue(content)
	}
	if err == nil { // a block without a type can be written, but not read
		var read abi.Content
		_, err = read.UnmarshalMsg(content)
	}
	if err != nil {
		return fmt.Errorf("the content of a message cannot be kept: %w", err)
	}
	return nil
}
