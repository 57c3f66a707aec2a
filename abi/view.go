package abi

import (
	"math"

	"github.com/agenthost/agenthost/abi/wire"
)

// ViewSpec declares which messages a hook sees. The zero value means none.
type ViewSpec struct {
	kind viewKind
	last uint64
}

type viewKind uint8

const (
	viewNone viewKind = iota
	viewLast
	viewNew
	viewAll
)

// ViewNone shows no messages.
func ViewNone() ViewSpec { return ViewSpec{} }

// ViewLast shows the last k messages, or none for k = 0. On the wire, k is at most 2⁶³−1.
func ViewLast(k uint64) ViewSpec {
	if k == 0 {
		return ViewSpec{}
	}
	return ViewSpec{viewLast, min(k, math.MaxInt64)}
}

// ViewNew shows what changed since the last call of this hook in the thread whose update was applied. Only node hooks
// may use it.
func ViewNew() ViewSpec { return ViewSpec{kind: viewNew} }

// ViewAll shows all messages.
func ViewAll() ViewSpec { return ViewSpec{kind: viewAll} }

// IsZero reports whether the view is none.
func (v ViewSpec) IsZero() bool { return v.kind == viewNone }

// IsNew reports whether the view is new.
func (v ViewSpec) IsNew() bool { return v.kind == viewNew }

// Tail returns how many messages at the end of a list of total messages the view shows. For the view new, which
// depends on what the hook saw before, it returns total.
func (v ViewSpec) Tail(total int) int {
	switch v.kind {
	case viewNone:
		return 0
	case viewLast:
		return int(min(v.last, uint64(total)))
	default:
		return total
	}
}

// String returns "none", "new", "all" or "last K".
func (v ViewSpec) String() string {
	switch v.kind {
	case viewNew:
		return "new"
	case viewAll:
		return "all"
	case viewLast:
		return "last " + utoa(v.last)
	default:
		return "none"
	}
}

// MarshalMsg appends "none", "new", "all" or {"last": K}.
func (v ViewSpec) MarshalMsg(dst []byte) ([]byte, error) {
	if v.kind == viewLast {
		return wire.AppendUint(wire.AppendString(wire.AppendMapHeader(dst, 1), "last"), v.last), nil
	}
	return wire.AppendString(dst, v.String()), nil
}

// UnmarshalMsg decodes what MarshalMsg writes.
func (v *ViewSpec) UnmarshalMsg(b []byte) ([]byte, error) {
	var raw wire.Raw
	rest, err := raw.UnmarshalMsg(b)
	if err != nil {
		return b, err
	}
	if name, ok := raw.AsString(); ok {
		switch name {
		case "none":
			*v = ViewNone()
			return rest, nil
		case "new":
			*v = ViewNew()
			return rest, nil
		case "all":
			*v = ViewAll()
			return rest, nil
		}
	}
	var m wire.Map
	if _, err := m.UnmarshalMsg(raw); err == nil && len(m) == 1 {
		if k, ok := m.Get("last").AsInt(); ok && k >= 0 {
			*v = ViewLast(uint64(k))
			return rest, nil
		}
	}
	return b, &DocumentError{Document: "view", Reason: `must be "none", "new", "all" or {"last": K}`}
}

// Msgsize is an upper bound of the number of bytes that MarshalMsg appends.
func (v ViewSpec) Msgsize() int { return 16 }
