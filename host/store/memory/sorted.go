package memory

import (
	"iter"
	"slices"
)

// sorted is a map ordered by the bytes of its keys. No key is empty. The zero value is an empty map.
type sorted[T any] struct {
	at   map[string]T
	keys []string
}

func (s *sorted[T]) put(key string, value T) {
	if s.at == nil {
		s.at = map[string]T{}
	}
	if i, ok := slices.BinarySearch(s.keys, key); !ok {
		s.keys = slices.Insert(s.keys, i, key)
	}
	s.at[key] = value
}

func (s *sorted[T]) remove(key string) {
	if i, ok := slices.BinarySearch(s.keys, key); ok {
		s.keys = slices.Delete(s.keys, i, i+1)
		delete(s.at, key)
	}
}

// names returns the keys that are at or after least, and after after.
func (s *sorted[T]) names(least, after string) iter.Seq[string] {
	i, ok := slices.BinarySearch(s.keys, max(least, after))
	if ok && after >= least {
		i++
	}
	return slices.Values(s.keys[i:])
}

// from returns the values of the keys that names returns.
func (s *sorted[T]) from(least, after string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for key := range s.names(least, after) {
			if !yield(s.at[key]) {
				return
			}
		}
	}
}
