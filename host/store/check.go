package store

import (
	"context"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// These are the errors common to all stores. They are wrapped: compare with [errors.Is].
var (
	ErrInvalid  = errors.New("invalid request to the store") // the request is invalid
	ErrConflict = errors.New("the entry has another version; read it again")
	ErrQuota    = errors.New("the quota of the store is exceeded")
)

// These limits, in bytes, apply whatever the quota.
const (
	MaxKey   = 512
	MaxValue = 16 << 20 // also for all values of a page together
	// MaxVectors is the limit for the vectors of an entry. A page with vectors has at most [VectorPage] entries.
	MaxVectors = 256 << 10
)

// CheckEntry is the initial check of Get and Delete: it reports an ended context, or an invalid namespace or key.
func CheckEntry(ctx context.Context, ns Namespace, key string) error {
	return first(ctx.Err, ns.Check, func() error { return CheckKey(key) })
}

// CheckPut is the initial check of Put. A value that is too large for any quota is [ErrQuota].
func CheckPut(ctx context.Context, ns Namespace, key string, value []byte, o *PutOptions) error {
	return first(func() error { return CheckEntry(ctx, ns, key) }, o.check, func() error {
		if len(value) > MaxValue {
			return fmt.Errorf("%w: the value has %d bytes; the limit is %d", ErrQuota, len(value), MaxValue)
		}
		return nil
	})
}

// CheckList is the initial check of List.
func CheckList(ctx context.Context, ns Namespace, q *Query) error {
	return first(ctx.Err, ns.Check, func() error { return checkText(q.Prefix) }, func() error { return checkText(q.After) })
}

// CheckDrop is the initial check of Drop.
func CheckDrop(ctx context.Context, ns Namespace) error { return first(ctx.Err, ns.Check) }

// CheckNamespaces is the initial check of Namespaces.
func CheckNamespaces(ctx context.Context, under, after Namespace) error {
	return first(ctx.Err, under.checkIfAny, after.checkIfAny)
}

func (n Namespace) checkIfAny() error {
	if len(n) == 0 {
		return nil
	}
	return n.Check()
}

// CheckVersion reports a condition, as in [PutOptions], that does not hold for an entry's version; 0 means that there is no
// entry.
func CheckVersion(ifVersion *uint64, version uint64) error {
	if ifVersion != nil && *ifVersion != version {
		return ErrConflict
	}
	return nil
}

// CheckKey reports an invalid key. A key has 1 to [MaxKey] bytes of UTF-8 without control characters.
func CheckKey(key string) error {
	if key == "" {
		return fmt.Errorf("%w: the key is empty", ErrInvalid)
	}
	return checkText(key)
}

func (o *PutOptions) check() error {
	switch {
	case o.TTL < 0 || (o.TTL > 0 && o.TTL < Resolution):
		return fmt.Errorf("%w: the TTL is %v; it must be at least %v, or 0 for none", ErrInvalid, o.TTL, Resolution)
	case len(o.Vectors) > MaxVectors:
		return fmt.Errorf("%w: the vectors have %d bytes; the limit is %d; embed fewer fields", ErrInvalid, len(o.Vectors), MaxVectors)
	case o.Quota.Bytes < 0 || o.Quota.Entries < 0:
		return fmt.Errorf("%w: the quota is %d bytes and %d entries; neither may be negative, and 0 means no limit", ErrInvalid, o.Quota.Bytes, o.Quota.Entries)
	default:
		return nil
	}
}

func checkText(text string) error {
	if len(text) > MaxKey {
		return fmt.Errorf("%w: the key has %d bytes; the limit is %d", ErrInvalid, len(text), MaxKey)
	}
	if problem := problemOf(text); problem != "" {
		return fmt.Errorf("%w: the key %s", ErrInvalid, problem)
	}
	return nil
}

// problemOf describes why a text is not allowed in a name; "" if it is.
func problemOf(text string) string {
	if !utf8.ValidString(text) {
		return "is not UTF-8"
	}
	for _, r := range text {
		if unicode.IsControl(r) {
			return "contains a control character"
		}
	}
	return ""
}

// first returns the first error of the checks.
func first(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
