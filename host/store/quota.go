package store

import "fmt"

// Quota limits the contents of a namespace, without the namespaces under it. A field of 0 means no limit.
type Quota struct {
	Bytes   int64 // size of all entries, see [Size]
	Entries int
}

// Overhead is the cost of an entry in addition to its key and value, in bytes.
const Overhead = 64

// Size returns how much an entry counts against the quota, in bytes.
func Size(key string, value int) int64 { return int64(len(key)) + int64(value) + Overhead }

// Usage is the contents of a namespace, counted as in [Quota].
type Usage struct {
	Bytes   int64
	Entries int
}

// Check reports a write that exceeds a namespace's quota. It never refuses a write that does not grow: after a quota is
// lowered, contents above it can still shrink.
func (q Quota) Check(before, after Usage) error {
	switch {
	case q.Bytes != 0 && after.Bytes > q.Bytes && after.Bytes > before.Bytes:
		return fmt.Errorf("%w: the entries would take %d bytes; the limit is %d", ErrQuota, after.Bytes, q.Bytes)
	case q.Entries != 0 && after.Entries > q.Entries && after.Entries > before.Entries:
		return fmt.Errorf("%w: there would be %d entries; the limit is %d", ErrQuota, after.Entries, q.Entries)
	default:
		return nil
	}
}
