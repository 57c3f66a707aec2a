package host

import (
	"errors"

	"github.com/agenthost/agenthost/abi/wire"
)

// Reducer says how an update of a field meets its present value. The zero value is [Last].
type Reducer struct {
	Name    string                                         // what declarations of one field compare, and documents show
	Initial wire.Raw                                       // the value of a field that was never written; none: it is unset
	Reduce  func(value, update wire.Raw) (wire.Raw, error) // nil: the update replaces the value, once in a step
}

var errNotANumber = errors.New("the reducer add needs numbers")

// Last keeps the last value. Two updates of such a field in one step are an error, since neither would be the last.
func Last() Reducer { return Reducer{Name: "last"} }

// Add sums numbers up, from 0.
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
	}}
}

// Append joins lists, from the empty one.
func Append() Reducer {
	return Reducer{Name: "append", Initial: wire.Raw{0x90}, Reduce: func(value, update wire.Raw) (wire.Raw, error) {
		if !value.IsArray() || !update.IsArray() {
			return nil, errors.New("the reducer append needs lists")
		}
		out := make([]byte, 0, len(value)+len(update)+4)
		out = wire.AppendArrayHeader(out, value.Len()+update.Len())
		return append(append(out, value.Tail()...), update.Tail()...), nil
	}}
}

// ReducerByName returns the reducer that a document names: "last" or "", "add", "append".
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
