package checkpoint

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// CheckName returns an error that wraps [ErrThreadName] if a thread cannot have this name. Every method of a store that may
// create a thread calls it first.
func CheckName(thread string) error {
	bad := thread == "" || len(thread) > MaxThreadName || !utf8.ValidString(thread)
	for _, r := range thread {
		bad = bad || unicode.IsControl(r)
	}
	if !bad {
		return nil
	}
	if len(thread) > 2*MaxThreadName {
		thread = thread[:MaxThreadName] + "…"
	}
	return fmt.Errorf("thread %q: %w", thread, ErrThreadName)
}
