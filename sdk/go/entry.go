package sdk

import "github.com/agenthost/agenthost/abi"

// Entry is one entry of the plugin's [Store] with a value of the type T, which may be any type of a [Field]:
//
//	visits := sdk.Entry[int]{Scope: sdk.ScopePlugin, Key: "visits"}
//	n, err := visits.Update(c, func(n int) (int, error) { return n + 1, nil })
//
// Each of its methods needs the capabilities of its operations: kv.get, kv.put or kv.delete.
type Entry[T any] struct {
	Scope abi.Scope
	Key   string
}

// Get returns the value, or the zero value if there is no entry.
func (e Entry[T]) Get(c AnyCall) (T, error) {
	value, _, err := e.get(c)
	return value, err
}

// Put writes a value, whatever the entry holds.
func (e Entry[T]) Put(c AnyCall, value T) error {
	raw, err := encode(&value)
	if err == nil {
		_, err = c.call().Store(e.Scope).Put(e.Key, raw)
	}
	return err
}

// Update replaces the value by what change makes of it, and returns the new value. The value is the zero value if there is no entry.
// If another call writes the entry at the same time, nothing is lost: Update calls change again, with the value of that call. If change
// fails, nothing is written, and Update returns its error.
func (e Entry[T]) Update(c AnyCall, change func(value T) (T, error)) (T, error) {
	for {
		value, version, err := e.get(c)
		if err != nil {
			return value, err
		}
		changed, err := change(value)
		if err != nil {
			return value, err
		}
		raw, err := encode(&changed)
		if err == nil {
			_, err = c.call().Store(e.Scope).PutIf(e.Key, raw, version)
		}
		if err == ErrConflict { //nolint:errorlint // never wrapped, and errors.Is needs reflection
			continue // it ends at the latest when the host calls of this call are used up
		}
		return changed, err
	}
}

// Delete removes the entry, if there is one.
func (e Entry[T]) Delete(c AnyCall) error { return c.call().Store(e.Scope).Delete(e.Key) }

func (e Entry[T]) get(c AnyCall) (value T, version uint64, err error) {
	raw, version, err := c.call().Store(e.Scope).Get(e.Key)
	if err == nil && version != 0 {
		err = decode(e.Key, raw, &value)
	}
	return value, version, err
}
