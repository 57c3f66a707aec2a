// Package followed keeps what was made of files, and makes it again when they change: certificates and keys that somebody renews.
package followed

import (
	"os"
	"slices"
	"sync"
	"time"
)

// Value is what was made of files.
type Value[T any] struct {
	paths []string
	read  func() (T, error)

	mu     sync.Mutex
	value  T
	stamps []stamp // of the files that were read
}

// stamp tells whether a file has changed.
type stamp struct {
	changed time.Time
	size    int64
}

// New returns what read makes of the files. Its error is that of read, or that of a file that is not there.
func New[T any](read func() (T, error), paths ...string) (*Value[T], error) {
	v := &Value[T]{paths: paths, read: read}
	stamps, err := v.stat()
	if err == nil {
		err = v.load(stamps)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Get returns the value. After a change of a file it is read again; if that is not possible now, it is the one before: whoever renews several files writes one
// after the other.
func (v *Value[T]) Get() T {
	v.mu.Lock()
	defer v.mu.Unlock()
	if stamps, err := v.stat(); err == nil && !slices.Equal(stamps, v.stamps) {
		_ = v.load(stamps)
	}
	return v.value
}

func (v *Value[T]) stat() ([]stamp, error) {
	stamps := make([]stamp, len(v.paths))
	for i, path := range v.paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		stamps[i] = stamp{info.ModTime(), info.Size()}
	}
	return stamps, nil
}

func (v *Value[T]) load(stamps []stamp) error {
	value, err := v.read()
	if err != nil {
		return err
	}
	v.value, v.stamps = value, stamps
	return nil
}
