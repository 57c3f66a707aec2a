package kv

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
)

// The errors that every store has. They are wrapped: compare with [errors.Is].
var (
	ErrInvalid  = errors.New("no key, scope or id that there can be") // what is asked for cannot exist
	ErrConflict = errors.New("the entry has another version; read it again")
	ErrQuota    = errors.New("beyond the quota")
)

// Status is how a host answers a guest. An error that is none of this package's is [abi.StatusFailed].
func Status(err error) abi.Status {
	switch {
	case err == nil:
		return abi.StatusOK
	case errors.Is(err, ErrInvalid):
		return abi.EINVAL
	case errors.Is(err, ErrConflict):
		return abi.ECONFLICT
	case errors.Is(err, ErrQuota):
		return abi.ELIMIT
	default:
		return abi.StatusFailed
	}
}

// What no quota changes, in bytes.
const (
	MaxKey   = 512
	MaxValue = 1 << 20
)

// Check reports a namespace that there cannot be. Every method of a store begins with it.
func (n Namespace) Check() error {
	if n.Plugin == "" {
		return fmt.Errorf("%w: a namespace without a plugin", ErrInvalid)
	}
	if n.Scope == abi.ScopePlugin {
		if n.ID != "" {
			return fmt.Errorf("%w: the scope of a plugin has no id", ErrInvalid)
		}
		return nil
	}
	return CheckDrop(n.Scope, n.ID)
}

// CheckDrop reports a scope and id that [Store.Drop] cannot take.
func CheckDrop(scope abi.Scope, id string) error {
	switch {
	case scope != abi.ScopeRun && scope != abi.ScopeThread:
		return fmt.Errorf("%w: the scope %q", ErrInvalid, scope)
	case id == "":
		return fmt.Errorf("%w: the scope of a %s without its id", ErrInvalid, scope)
	default:
		return nil
	}
}

// CheckKey reports a key that there cannot be: it has 1 to [MaxKey] bytes of UTF-8 without control characters.
func CheckKey(key string) error {
	if key == "" {
		return fmt.Errorf("%w: an empty key", ErrInvalid)
	}
	return checkText(key)
}

// Check reports a query that no key can answer.
func (q Query) Check() error {
	if err := checkText(q.Prefix); err != nil {
		return err
	}
	return checkText(q.After)
}

func checkText(text string) error {
	if len(text) > MaxKey {
		return fmt.Errorf("%w: a key of %d bytes; at most %d", ErrInvalid, len(text), MaxKey)
	}
	if !utf8.ValidString(text) {
		return fmt.Errorf("%w: a key that is not UTF-8", ErrInvalid)
	}
	for _, r := range text {
		if unicode.IsControl(r) {
			return fmt.Errorf("%w: a key with a control character", ErrInvalid)
		}
	}
	return nil
}

// CheckPut reports a key that there cannot be, and a value that is too large for any quota.
func CheckPut(key string, value []byte) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if len(value) > MaxValue {
		return fmt.Errorf("%w: a value of %d bytes; at most %d", ErrQuota, len(value), MaxValue)
	}
	return nil
}

// CheckGrowth reports a write that takes a namespace beyond its quota. One that does not grow is never refused: a
// plugin whose quota was lowered can still shrink.
func (q Quota) CheckGrowth(bytesBefore, bytesAfter int64, entriesBefore, entriesAfter int) error {
	most := q.WithDefaults()
	switch {
	case bytesAfter > most.Bytes && bytesAfter > bytesBefore:
		return fmt.Errorf("%w: %d bytes; at most %d", ErrQuota, bytesAfter, most.Bytes)
	case entriesAfter > most.Entries && entriesAfter > entriesBefore:
		return fmt.Errorf("%w: %d entries; at most %d", ErrQuota, entriesAfter, most.Entries)
	default:
		return nil
	}
}
