package store

import "fmt"

// Quota is what a namespace may hold, without the namespaces under it. A field of 0 means no limit.
type Quota struct {
	Bytes   int64 // of all entries: see [Size]
	Entries int
}

// Overhead is what an entry costs beside its key and value, in bytes.
const Overhead = 64

// Size is what an entry counts against the quota, in bytes.
func Size(key string, value int) int64 { return int64(len(key)) + int64(value) + Overhead }

// Usage is what a namespace holds: see [Quota].
type Usage struct {
	Bytes   int64
	Entries int
}

// Check reports a write that takes a namespace beyond its quota. One that does not grow is never refused: what is beyond a
// quota that was lowered can still be made smaller.
func (q Quota) Check(before, after Usage) error {
	switch {
	case q.Bytes != 0 && after.Bytes > q.Bytes && after.Bytes > before.Bytes:
		return fmt.Errorf("%w: %d bytes; at most %d", ErrQuota, after.Bytes, q.Bytes)
	case q.Entries != 0 && after.Entries > q.Entries && after.Entries > before.Entries:
		return fmt.Errorf("%w: %d entries; at most %d", ErrQuota, after.Entries, q.Entries)
	default:
		return nil
	}
}
