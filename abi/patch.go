package abi

import (
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
)

// Patch is a message document whose keys replace those of the message with the same id. All other keys of the
// message stay, including keys that the writer of the patch does not know.
type Patch struct{ keys wire.Map }

// PatchOf makes a patch that sets all keys of m, including its id.
func PatchOf(m *Message) (Patch, error) {
	b, err := m.MarshalMsg(nil)
	if err != nil {
		return Patch{}, err
	}
	var p Patch
	_, err = p.UnmarshalMsg(b)
	return p, err
}

// NewPatch makes a patch of the message with this id.
func NewPatch(id string) Patch { return Patch{wire.Map{{Key: "id", Value: wire.String(id)}}} }

// ID returns the id of the message to change, or "" if the patch has none.
func (p Patch) ID() string {
	id, _ := p.keys.Get("id").AsString()
	return id
}

// Keys returns the keys of the patch. The caller must not change them.
func (p Patch) Keys() wire.Map { return p.keys }

// Set returns a patch that also sets this key.
func (p Patch) Set(key string, value wire.Raw) Patch {
	return Patch{p.keys.With(wire.Map{{Key: key, Value: value}})}
}

// SetContent returns a patch that also replaces the content.
func (p Patch) SetContent(c Content) Patch {
	b, _ := c.MarshalMsg(nil)
	return p.Set("content", b)
}

// Apply returns m with the keys of the patch. It does not change m itself. A patch may not change the role or the id.
func (p Patch) Apply(m *Message) (Message, error) {
	for _, key := range []string{"id", "role"} {
		value := p.keys.Get(key)
		if value.IsZero() {
			continue
		}
		was := m.ID
		if key == "role" {
			was = string(m.Role)
		}
		if is, ok := value.AsString(); !ok || is != was {
			return *m, &DocumentError{Document: "patch", Reason: `of message "` + m.ID + `" changes its ` + key}
		}
	}
	out := p.unset(*m)
	b, _ := p.keys.MarshalMsg(nil)
	if _, err := out.UnmarshalMsg(b); err != nil {
		return *m, &DocumentError{Document: "patch", Reason: `of message "` + m.ID + `": ` + err.Error()}
	}
	return out, nil
}

// unset returns m without the slices and pointers that the patch replaces, because the decoder would merge into their
// existing elements. It copies the others, so that they are not shared with m.
func (p Patch) unset(m Message) Message {
	m.ToolCalls, m.InvalidToolCalls = slices.Clone(m.ToolCalls), slices.Clone(m.InvalidToolCalls)
	if p.keys.Has("tool_calls") {
		m.ToolCalls = nil
	}
	if p.keys.Has("invalid_tool_calls") {
		m.InvalidToolCalls = nil
	}
	switch {
	case p.keys.Has("usage"):
		m.Usage = nil
	case m.Usage != nil:
		usage := *m.Usage
		m.Usage = &usage
	}
	return m
}

// Message returns the message that the patch describes by itself.
func (p Patch) Message() (Message, error) {
	var m Message
	b, _ := p.keys.MarshalMsg(nil)
	if _, err := m.UnmarshalMsg(b); err != nil {
		return m, &DocumentError{Document: "message", Reason: err.Error()}
	}
	return m, nil
}

// IsZero reports whether the patch has no keys.
func (p Patch) IsZero() bool { return p.keys.IsZero() }

// MarshalMsg appends the patch.
func (p Patch) MarshalMsg(dst []byte) ([]byte, error) { return p.keys.MarshalMsg(dst) }

// UnmarshalMsg decodes a map.
func (p *Patch) UnmarshalMsg(b []byte) ([]byte, error) { return p.keys.UnmarshalMsg(b) }

// Msgsize is an upper bound of the number of bytes that MarshalMsg appends.
func (p Patch) Msgsize() int { return p.keys.Msgsize() }
