//go:build !wasm

package abi

import "github.com/agenthost/agenthost/abi/wire"

// The JSON form of a document is its msgpack form written as JSON: the same keys, bytes as base64. Events, the
// agenthost command and test vectors show this form.

type marshaler interface {
	MarshalMsg(b []byte) ([]byte, error)
}

type unmarshaler interface {
	UnmarshalMsg(b []byte) ([]byte, error)
}

func toJSON(v marshaler) ([]byte, error) {
	b, err := v.MarshalMsg(nil)
	if err != nil {
		return nil, err
	}
	return wire.AppendJSON(nil, b)
}

func fromJSON(text []byte, v unmarshaler) error {
	b, err := wire.FromJSON(text, wire.DefaultLimits)
	if err != nil {
		return err
	}
	_, err = v.UnmarshalMsg(b)
	return err
}

// MarshalJSON gives the JSON form.
func (m Message) MarshalJSON() ([]byte, error) { return toJSON(&m) }

// UnmarshalJSON takes the JSON form.
func (m *Message) UnmarshalJSON(text []byte) error { *m = Message{}; return fromJSON(text, m) }

// MarshalJSON gives the JSON form.
func (c ToolCall) MarshalJSON() ([]byte, error) { return toJSON(&c) }

// UnmarshalJSON takes the JSON form.
func (c *ToolCall) UnmarshalJSON(text []byte) error { *c = ToolCall{}; return fromJSON(text, c) }

// MarshalJSON gives the JSON form.
func (c Content) MarshalJSON() ([]byte, error) { return toJSON(c) }

// UnmarshalJSON takes the JSON form.
func (c *Content) UnmarshalJSON(text []byte) error { return fromJSON(text, c) }

// MarshalJSON gives the JSON form.
func (p Patch) MarshalJSON() ([]byte, error) { return toJSON(p) }

// UnmarshalJSON takes the JSON form.
func (p *Patch) UnmarshalJSON(text []byte) error { return fromJSON(text, p) }

// MarshalJSON gives the JSON form.
func (d Description) MarshalJSON() ([]byte, error) { return toJSON(&d) }

// MarshalJSON gives the JSON form.
func (i Interrupt) MarshalJSON() ([]byte, error) { return toJSON(&i) }

// UnmarshalJSON takes the JSON form.
func (i *Interrupt) UnmarshalJSON(text []byte) error { *i = Interrupt{}; return fromJSON(text, i) }

// MarshalJSON gives the JSON form.
func (t ToolSpec) MarshalJSON() ([]byte, error) { return toJSON(&t) }

// MarshalJSON gives the JSON form.
func (u Usage) MarshalJSON() ([]byte, error) { return toJSON(&u) }

// UnmarshalJSON takes the JSON form.
func (u *Usage) UnmarshalJSON(text []byte) error { *u = Usage{}; return fromJSON(text, u) }
