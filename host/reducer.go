package host

import (
	"bytes"
	"errors"

	"github.com/agenthost/agenthost/abi/wire"
)

// Reducer combines an update of a field with its present value. The zero value is [Last].
type Reducer struct {
	Name    string                                         // compared between declarations of one field, and shown in documents
	Initial wire.Raw                                       // value of a field that was never written; none: unset
	Reduce  func(value, update wire.Raw) (wire.Raw, error) // nil: the update replaces the value, at most once in a step
	// Diff returns the update that leads from one value to a later one; false if there is none. It turns the changes of an agent
	// inside another agent into an update of the outer state. nil: the later value is the update.
	Diff func(before, after wire.Raw) (update wire.Raw, ok bool)
}

// Update returns the update that leads from one value of a field with this reducer to a later one.
func (r *Reducer) Update(before, after wire.Raw) wire.Raw {
	if before.IsZero() {
		before = r.Initial
	}
	if r.Diff == nil || before.IsZero() {
		return after
	}
	if update, ok := r.Diff(before, after); ok {
		return update
	}
	return after
}

var errNotANumber = errors.New("the reducer add needs numbers")

// Last keeps the last value. Two updates of such a field in one step are an error, since neither is the last.
func Last() Reducer { return Reducer{Name: "last"} }

// Add sums numbers, starting from 0.
func Add() Reducer {
	return Reducer{Name: "add", Initial: wire.Int(0), Reduce: func(value, update wire.Raw) (wire.Raw, error) {
		a, aInt := value.AsInt()
		b, bInt := update.AsInt()
		if sum := a + b; aInt && bInt && (sum > a) == (b > 0) {
			return wire.Int(sum), nil
		}
		x, xOK := value.AsFloat()
		y, yOK := update.AsFloat()
		if !xOK || !yOK {
			return nil, errNotANumber
		}
		return wire.Float(x + y), nil
	}, Diff: func(before, after wire.Raw) (wire.Raw, bool) {
		a, aInt := before.AsInt()
		b, bInt := after.AsInt()
		if difference := b - a; aInt && bInt && (difference < b) == (a > 0) {
			return wire.Int(difference), true
		}
		x, xOK := before.AsFloat()
		y, yOK := after.AsFloat()
		return wire.Float(y - x), xOK && yOK
	}}
}

// Append joins lists, starting from the empty list.
func Append() Reducer {
	return Reducer{Name: "append", Initial: wire.Raw{0x90}, Reduce: func(value, update wire.Raw) (wire.Raw, error) {
		if !value.IsArray() || !update.IsArray() {
			return nil, errors.New("the reducer append needs lists")
		}
		out := make([]byte, 0, len(value)+len(update)+4)
		out = wire.AppendArrayHeader(out, value.Len()+update.Len())
		return append(append(out, value.Tail()...), update.Tail()...), nil
	}, Diff: func(before, after wire.Raw) (wire.Raw, bool) {
		if !before.IsArray() || !after.IsArray() || after.Len() < before.Len() {
			return nil, false
		}
		added, ok := bytes.CutPrefix(after.Tail(), before.Tail())
		return append(wire.AppendArrayHeader(nil, after.Len()-before.Len()), added...), ok
	}}
}

// ReducerByName returns the reducer with the name that documents use: "last" or "", "add", "append".
func ReducerByName(name string) (Reducer, bool) {
	switch name {
	case "", "last":
		return Last(), true
	case "add":
		return Add(), true
	case "append":
		return Append(), true
	default:
		return Reducer{}, false
	}
}

func (r *Reducer) name() string {
	if r.Name == "" {
		return "last"
	}
	return r.Name
}
