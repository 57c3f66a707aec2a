package checkpoint

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// CheckName reports a thread's name that there cannot be. Every method of a store that takes the name of a thread that
// may be made begins with it.
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
