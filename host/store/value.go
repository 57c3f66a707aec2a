package store

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/host/internal/codec"
)

// Get reads a value of a Go type that [Put] wrote. Without an entry it returns the zero value and the version 0, which as
// PutOptions.IfVersion means "no entry". It fails if the value is not a T.
func Get[T any](ctx context.Context, s Store, ns Namespace, key string) (v T, version uint64, err error) {
	entry, ok, err := s.Get(ctx, ns, key)
	if err != nil || !ok {
		return v, 0, err
	}
	if err := codec.Decode(entry.Value, &v); err != nil {
		var zero T
		return zero, 0, fmt.Errorf("entry %q of %q: %w", key, []string(ns), err)
	}
	return v, entry.Version, nil
}

// Put writes a value of a Go type as msgpack, like the fields of a state: basic types without reflection, others with
// vmihailenco/msgpack, whose struct tags apply.
func Put[T any](ctx context.Context, s Store, ns Namespace, key string, v T, o PutOptions) (version uint64, err error) {
	raw, err := codec.Encode(v)
	if err != nil {
		return 0, fmt.Errorf("entry %q of %q: %w", key, []string(ns), err)
	}
	return s.Put(ctx, ns, key, raw, o)
}
