package host

import (
	"fmt"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/internal/codec"
)

// Lifetime is how long the value of a state field lives.
type Lifetime uint8

// The lifetimes.
const (
	LifetimeThread Lifetime = iota // the value lives as long as the thread
	LifetimeRun                    // the value lives as long as the run, including its interrupts and resumes
	LifetimeStep                   // the value is visible in the next step only, or after the last step in the result
)

// String returns the name of the lifetime in documents.
func (l Lifetime) String() string { return [...]string{"thread", "run", "step"}[l] }

// Field declares a state field. Callers, hooks and tools may only use declared fields.
type Field struct {
	Name       string
	Lifetime   Lifetime
	HideInput  bool     // the caller of a run cannot set the field
	HideOutput bool     // results do not show the field
	Reducer    Reducer  // how an update is combined with the present value; the zero value is [Last]
	Schema     wire.Raw // JSON Schema for updates; none: any value
	Exclusive  bool     // no one else may declare the field, not even identically; set for untrusted middleware
	// Sealed refuses every update of the field: by hooks, tools and plugins, by the input of a run and by [Agent.UpdateState]. Only
	// [checkpoint.UpdateFields] changes it, between two runs. The name must begin with [SealedPrefix]. A run that begins at a
	// checkpoint older than its thread's newest does not have the value, because it may have been withdrawn since.
	Sealed bool
}

// SealedPrefix begins the name of each sealed field, and of no other: so no agent can write what another one reads as sealed.
const SealedPrefix = "sealed."

// same reports whether two declarations of a field agree.
func (f *Field) same(other *Field) bool {
	return f.Lifetime == other.Lifetime && f.HideInput == other.HideInput && f.HideOutput == other.HideOutput && f.Sealed == other.Sealed &&
		f.Reducer.name() == other.Reducer.name() && f.Schema.Equal(other.Schema)
}

// TypedField is a state field whose values have the Go type T.
type TypedField[T any] struct{ Field }

// NewField declares a field of Go type T. Values of basic types and of package wire are encoded without reflection, other
// values by vmihailenco/msgpack, whose struct tags apply.
func NewField[T any](name string, options ...func(*Field)) TypedField[T] {
	f := TypedField[T]{Field{Name: name}}
	for _, option := range options {
		option(&f.Field)
	}
	return f
}

// Hidden hides a field from the caller: it is neither input nor output.
func Hidden(f *Field) { f.HideInput, f.HideOutput = true, true }

// Lives sets a field's lifetime.
func Lives(l Lifetime) func(*Field) { return func(f *Field) { f.Lifetime = l } }

// Reduced sets a field's reducer.
func Reduced(r Reducer) func(*Field) { return func(f *Field) { f.Reducer = r } }

// Get returns the field's value; ok is false if it is unset. It fails if the value is not a T.
func (f TypedField[T]) Get(s *State) (value T, ok bool, err error) {
	raw := s.Get(f.Name)
	if raw.IsZero() {
		return value, false, nil
	}
	if err := Decode(raw, &value); err != nil {
		return value, false, fmt.Errorf("field %q: %w", f.Name, err)
	}
	return value, true, nil
}

// Set puts a value into an update.
func (f TypedField[T]) Set(u *Update, value T) error {
	raw, err := Encode(value)
	if err != nil {
		return fmt.Errorf("field %q: %w", f.Name, err)
	}
	u.State.Set(f.Name, raw)
	return nil
}

// Encode returns the canonical msgpack form of a Go value. It fails for types that have no such form, such as time.Time.
func Encode(value any) (wire.Raw, error) { return codec.Encode(value) }

// Decode decodes a value into the variable that into points to.
func Decode(raw wire.Raw, into any) error { return codec.Decode(raw, into) }
