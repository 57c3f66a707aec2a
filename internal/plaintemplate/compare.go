package plaintemplate

import (
	"cmp"
	"errors"
	"fmt"
)

// kind is a kind of values that can be compared with each other.
type kind int

const (
	otherKind kind = iota
	boolKind
	intKind
	uintKind
	floatKind
	stringKind
)

// basic is a value that can be compared.
type basic struct {
	kind kind
	b    bool
	i    int64
	u    uint64
	f    float64
	s    string
}

func basicOf(v value) basic {
	switch x := v.data.(type) {
	case bool:
		return basic{kind: boolKind, b: x}
	case int:
		return basic{kind: intKind, i: int64(x)}
	case int64:
		return basic{kind: intKind, i: x}
	case uint64:
		return basic{kind: uintKind, u: x}
	case float64:
		return basic{kind: floatKind, f: x}
	case string:
		return basic{kind: stringKind, s: x}
	default:
		return basic{}
	}
}

var (
	errNotOrdered = errors.New("invalid type for comparison")
	errNoOther    = errors.New("missing argument for comparison")
)

func errIncompatible(a, b value) error {
	return fmt.Errorf("incompatible types for comparison: %T and %T", a.data, b.data)
}

// equal reports whether the first argument equals any other one.
func equal(args []value) (bool, error) {
	if len(args) < 2 {
		return false, errNoOther
	}
	for _, other := range args[1:] {
		if is, err := equals(args[0], other); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

func equals(a, b value) (bool, error) {
	x, y := basicOf(a), basicOf(b)
	switch {
	case x.kind == intKind && y.kind == uintKind:
		return x.i >= 0 && uint64(x.i) == y.u, nil
	case x.kind == uintKind && y.kind == intKind:
		return y.i >= 0 && x.u == uint64(y.i), nil
	case x.kind != y.kind:
		if a.data != nil && b.data != nil {
			return false, errIncompatible(a, b)
		}
		return false, nil
	case x.kind == otherKind:
		return equalNil(a, b)
	case x.kind == floatKind: // NaN differs from itself
		return x.f == y.f, nil
	default:
		return x == y, nil
	}
}

// equalNil compares values of which at least one must be nil, because maps and lists cannot be compared.
func equalNil(a, b value) (bool, error) {
	if isNil(a) || isNil(b) {
		if a.data != nil && b.data != nil && fmt.Sprintf("%T", a.data)[0] != fmt.Sprintf("%T", b.data)[0] {
			return false, fmt.Errorf("non-comparable types %T and %T", a.data, b.data)
		}
		return isNil(a) == isNil(b), nil
	}
	return false, fmt.Errorf("non-comparable type %T", b.data)
}

// isNil reports whether a value is nil, or a map or list that is.
func isNil(v value) bool {
	switch x := v.data.(type) {
	case nil:
		return true
	case []any:
		return x == nil
	case []byte:
		return x == nil
	case map[string]any:
		return x == nil
	default:
		return false
	}
}

func unequal(args []value) (bool, error) {
	is, err := equal(args)
	return !is, err
}

func less(args []value) (bool, error) {
	x, y := basicOf(args[0]), basicOf(args[1])
	switch {
	case x.kind == otherKind || y.kind == otherKind:
		return false, errNotOrdered
	case x.kind == intKind && y.kind == uintKind:
		return x.i < 0 || uint64(x.i) < y.u, nil
	case x.kind == uintKind && y.kind == intKind:
		return y.i >= 0 && x.u < uint64(y.i), nil
	case x.kind != y.kind:
		return false, errIncompatible(args[0], args[1])
	case x.kind == boolKind:
		return false, errNotOrdered
	case x.kind == floatKind: // nothing is less than NaN
		return x.f < y.f, nil
	default: // the other fields are equal
		return cmp.Or(cmp.Compare(x.i, y.i), cmp.Compare(x.u, y.u), cmp.Compare(x.s, y.s)) < 0, nil
	}
}

func lessOrEqual(args []value) (bool, error) {
	if is, err := less(args); is || err != nil {
		return is, err
	}
	return equal(args)
}

func greater(args []value) (bool, error) {
	is, err := lessOrEqual(args)
	return !is && err == nil, err
}

func greaterOrEqual(args []value) (bool, error) {
	is, err := less(args)
	return !is && err == nil, err
}
