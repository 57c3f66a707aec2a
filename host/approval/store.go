package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// ErrNoRule says that a thread has no rule with a number.
var ErrNoRule = errors.New("the thread has no such rule")

// Add adds rules to a thread that no run has open, and numbers them. A rule that is there already is not added again. The errors
// are those of [checkpoint.UpdateFields], an [*UnreadableError], or say that a rule is too large or there are too many.
func Add(ctx context.Context, s checkpoint.Store, thread string, now time.Time, rules ...Rule) error {
	for i := range rules {
		if size := len(rules[i].Args); size > MaxArgs {
			return fmt.Errorf("a rule with arguments of %d bytes is too large; the limit is %d bytes", size, MaxArgs)
		}
	}
	return change(ctx, s, thread, now, func(present []Rule) ([]Rule, error) {
		for _, r := range rules {
			r.Thread, r.At = thread, now
			if slices.ContainsFunc(present, func(other Rule) bool { return other.about(&r) }) {
				continue
			}
			if len(present) == MaxRules {
				return nil, fmt.Errorf("the thread has %d rules, which is the limit; revoke some", MaxRules)
			}
			r.N = 1
			for i := range present {
				r.N = max(r.N, present[i].N+1)
			}
			present = append(present, r)
		}
		return present, nil
	})
}

// Revoke removes the rule with a number from a thread that no run has open, and returns it. The run may wait for an answer. The
// errors are those of [checkpoint.UpdateFields], an [*UnreadableError], and [ErrNoRule].
func Revoke(ctx context.Context, s checkpoint.Store, thread string, now time.Time, n int) (revoked Rule, err error) {
	err = change(ctx, s, thread, now, func(present []Rule) ([]Rule, error) {
		at := slices.IndexFunc(present, func(r Rule) bool { return r.N == n })
		if at < 0 {
			return nil, ErrNoRule
		}
		revoked = present[at]
		return slices.Delete(present, at, at+1), nil
	})
	return revoked, err
}

// RevokeAll removes all rules from a thread that no run has open, even if they cannot be read. The errors are those of
// [checkpoint.UpdateFields].
func RevokeAll(ctx context.Context, s checkpoint.Store, thread string, now time.Time) error {
	return checkpoint.UpdateFields(ctx, s, thread, now, func(fields wire.Map) (wire.Map, error) {
		if !fields.Has(FieldName) {
			return nil, nil
		}
		return wire.Map{{Key: FieldName}}, nil
	})
}

// change replaces the rules of a thread.
func change(ctx context.Context, s checkpoint.Store, thread string, now time.Time, to func([]Rule) ([]Rule, error)) error {
	return checkpoint.UpdateFields(ctx, s, thread, now, func(fields wire.Map) (wire.Map, error) {
		present, err := Read(fields)
		if err != nil {
			return nil, err
		}
		rules, err := to(present)
		if err != nil {
			return nil, err
		}
		value, err := encode(rules)
		if err != nil || value.Equal(fields.Get(FieldName)) {
			return nil, err
		}
		return wire.Map{{Key: FieldName, Value: value}}, nil
	})
}
