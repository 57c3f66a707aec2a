package semantic

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/store"
	nearest "github.com/agenthost/agenthost/internal/text"
)

// maxFilterDepth is the maximum depth of a filter.
const maxFilterDepth = 16

// operators compare two values. All but $eq and $ne only hold for two numbers or two texts.
var operators = map[string]func(got, want wire.Raw) bool{
	"$eq":  equal,
	"$ne":  func(got, want wire.Raw) bool { return !equal(got, want) },
	"$gt":  func(got, want wire.Raw) bool { order, ok := compare(got, want); return ok && order > 0 },
	"$gte": func(got, want wire.Raw) bool { order, ok := compare(got, want); return ok && order >= 0 },
	"$lt":  func(got, want wire.Raw) bool { order, ok := compare(got, want); return ok && order < 0 },
	"$lte": func(got, want wire.Raw) bool { order, ok := compare(got, want); return ok && order <= 0 },
}

// checkFilter refuses a filter with an unknown operator, or one that cannot be read.
func checkFilter(filter wire.Map) error {
	if len(filter) == 0 {
		return nil
	}
	raw := filter.Raw()
	if err := wire.Validate(raw, wire.DefaultLimits); err != nil {
		return fmt.Errorf("%w: the filter cannot be read: %w", store.ErrInvalid, err)
	}
	if wire.DeeperThan(raw, maxFilterDepth) {
		return fmt.Errorf("%w: the filter is deeper than %d levels", store.ErrInvalid, maxFilterDepth)
	}
	for _, pair := range filter {
		if err := checkCondition(pair.Value); err != nil {
			return err
		}
	}
	return nil
}

func checkCondition(want wire.Raw) error {
	isOperator := hasOperator(want)
	for key, value := range want.Pairs() {
		name := string(key)
		if isOperator && operators[name] == nil {
			known := slices.Sorted(maps.Keys(operators))
			hint := ""
			if near, ok := nearest.Nearest(name, known); ok {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			return fmt.Errorf("%w: the filter has the unknown operator %q; use %s%s", store.ErrInvalid, name, strings.Join(known, ", "), hint)
		}
		if isOperator {
			continue
		}
		if err := checkCondition(value); err != nil {
			return err
		}
	}
	return nil
}

func hasOperator(want wire.Raw) bool {
	for key := range want.Pairs() {
		if strings.HasPrefix(string(key), "$") {
			return true
		}
	}
	return false
}

// matches reports whether a value has what a filter wants.
func matches(value wire.Raw, filter wire.Map) bool {
	if len(filter) == 0 {
		return true
	}
	if wire.Validate(value, wire.DefaultLimits) != nil || !value.IsMap() {
		return false
	}
	for _, pair := range filter {
		if !fits(value.Get(pair.Key), pair.Value) {
			return false
		}
	}
	return true
}

// fits reports whether a field is what a condition wants. A missing one is null.
func fits(got, want wire.Raw) bool {
	switch {
	case want.IsMap() && hasOperator(want):
		for name, value := range want.Pairs() {
			if !operators[string(name)](got, value) {
				return false
			}
		}
		return true
	case want.IsMap():
		if !got.IsMap() {
			return false
		}
		for key, value := range want.Pairs() {
			if !fits(got.Get(string(key)), value) {
				return false
			}
		}
		return true
	default:
		return equal(got, want)
	}
}

// equal compares values; numbers by what they are worth.
func equal(got, want wire.Raw) bool {
	if got.IsNil() || want.IsNil() {
		return got.IsNil() && want.IsNil()
	}
	if order, ok := compare(got, want); ok {
		return order == 0
	}
	return bytes.Equal(wire.Canonicalized(got), wire.Canonicalized(want))
}

// compare orders two numbers or two texts.
func compare(got, want wire.Raw) (order int, ok bool) {
	if a, ok := got.AsInt(); ok {
		if b, ok := want.AsInt(); ok {
			return cmp.Compare(a, b), true
		}
	}
	a, isNumber := got.AsFloat()
	b, also := want.AsFloat()
	if isNumber && also {
		return cmp.Compare(a, b), true
	}
	text, isText := got.AsString()
	other, also := want.AsString()
	return strings.Compare(text, other), isText && also
}
