// Package docdiff shows people how two msgpack documents differ: the paths, and the old and new values as JSON.
//
//	state.count: 3 → 4
//	messages[1].content: "…ann@mail.example" → "…[REDACTED_EMAIL]"
//	+ jump_to: "end"
//
// The documents may be untrusted. A malformed document is compared by its bytes. Shown values are shortened, and contain no
// characters that control a terminal.
package docdiff

import (
	"bytes"
	"strconv"

	"github.com/agenthost/agenthost/abi/wire"
)

// Diff lists the differences of two documents. The zero value means that they are equal.
type Diff struct {
	Changes []Change `json:"changes,omitempty"`
	More    int      `json:"more,omitempty"` // number of changes that are left out
}

// Change is one place where two documents differ.
type Change struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"` // "": there was no value
	New  string `json:"new,omitempty"` // "": there is no value now
}

// most is the largest number of changes that a diff lists.
const most = 50

// limits apply to the compared documents: those of a host nest deeper than those of a guest.
var limits = wire.Limits{MaxBytes: 1 << 30, MaxDepth: 1000, MaxNodes: 1 << 20}

// Of compares two documents; an empty one means that there is none. Two encodings of the same value are equal. Every path begins
// with root; "" stands for the document itself.
func Of(root string, before, after []byte) Diff {
	var d Diff
	if bytes.Equal(before, after) {
		return d
	}
	a, errA := canonical(before)
	b, errB := canonical(after)
	if errA != nil || errB != nil {
		d.add(Change{Path: root, Old: opaque(before, errA), New: opaque(after, errB)})
		return d
	}
	d.values(root, a, b)
	return d
}

func canonical(b []byte) (wire.Raw, error) {
	if len(b) == 0 {
		return nil, nil
	}
	return wire.Canonical(b, limits)
}

// IsZero reports whether the documents are equal.
func (d *Diff) IsZero() bool { return len(d.Changes) == 0 }

// Lines returns the changes, one per line.
func (d *Diff) Lines() []string {
	lines := make([]string, 0, len(d.Changes)+1)
	for i := range d.Changes {
		lines = append(lines, d.Changes[i].String())
	}
	if d.More > 0 {
		lines = append(lines, "… and "+strconv.Itoa(d.More)+" more")
	}
	return lines
}

// String returns the change as one line.
func (c *Change) String() string {
	at := ""
	if c.Path != "" {
		at = c.Path + ": "
	}
	switch {
	case c.Old == "":
		return "+ " + at + c.New
	case c.New == "":
		return "- " + at + c.Old
	default:
		return at + c.Old + " → " + c.New
	}
}

func (d *Diff) add(c Change) {
	if len(d.Changes) == most {
		d.More++
		return
	}
	d.Changes = append(d.Changes, c)
}

// values compares two values, one of which may be absent.
func (d *Diff) values(path string, a, b wire.Raw) {
	switch {
	case bytes.Equal(a, b):
	case a.IsZero():
		d.add(Change{Path: path, New: shown(b)})
	case b.IsZero():
		d.add(Change{Path: path, Old: shown(a)})
	case a.IsMap() && b.IsMap():
		d.maps(path, a, b)
	case a.IsArray() && b.IsArray():
		d.arrays(path, a, b)
	default:
		was, is := texts(a, b)
		d.add(Change{Path: path, Old: was, New: is})
	}
}

// maps compares maps, whose keys are sorted.
func (d *Diff) maps(path string, a, b wire.Raw) {
	was, is := pairs(a), pairs(b)
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(is) == 0 || (len(was) > 0 && was[0].Key < is[0].Key):
			d.values(key(path, was[0].Key), was[0].Value, nil)
			was = was[1:]
		case len(was) == 0 || is[0].Key < was[0].Key:
			d.values(key(path, is[0].Key), nil, is[0].Value)
			is = is[1:]
		default:
			d.values(key(path, was[0].Key), was[0].Value, is[0].Value)
			was, is = was[1:], is[1:]
		}
	}
}

func pairs(m wire.Raw) []wire.Pair {
	out := make([]wire.Pair, 0, m.Len())
	for k, v := range m.Pairs() {
		out = append(out, wire.Pair{Key: string(k), Value: v})
	}
	return out
}

// arrays compares arrays: it skips the equal beginnings and ends, and compares the elements between them one by one.
func (d *Diff) arrays(path string, a, b wire.Raw) {
	was, _ := a.Items()
	is, _ := b.Items()
	first := 0
	for first < min(len(was), len(is)) && bytes.Equal(was[first], is[first]) {
		first++
	}
	end := 0
	for end < min(len(was), len(is))-first && bytes.Equal(was[len(was)-1-end], is[len(is)-1-end]) {
		end++
	}
	was, is = was[:len(was)-end], is[:len(is)-end]
	for i := first; i < max(len(was), len(is)); i++ {
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case i >= len(was):
			d.values(at, nil, is[i])
		case i >= len(is):
			d.values(at, was[i], nil)
		default:
			d.values(at, was[i], is[i])
		}
	}
}
