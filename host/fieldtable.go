package host

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// fieldTable gives each declared field a slot.
type fieldTable struct {
	fields  []fieldEntry
	slots   map[string]int
	hasStep bool // a field has lifetime Step
}

type fieldEntry struct {
	Field
	schema *schema.Schema
	owner  ConfigSubject // declared it
}

// declare adds fields of an owner.
func (t *fieldTable) declare(owner ConfigSubject, fields []Field) error {
	for _, f := range fields {
		if err := t.declareOne(owner, f); err != nil {
			return &ConfigError{owner, fmt.Errorf("field %q: %w", f.Name, err)}
		}
	}
	return nil
}

// ReservedField reports whether the host reserves a name for itself, so that no field can have it.
func ReservedField(name string) bool { return name == "messages" || name == "jump_to" }

func (t *fieldTable) declareOne(owner ConfigSubject, f Field) error {
	switch {
	case f.Name == "":
		return errors.New("has no name")
	case ReservedField(f.Name):
		return errors.New("the host reserves this name")
	case f.Sealed != strings.HasPrefix(f.Name, SealedPrefix):
		return fmt.Errorf("the names of sealed fields, and no others, begin with %q; use another name", SealedPrefix)
	case f.Sealed && (f.Lifetime != LifetimeThread || f.Reducer.Reduce != nil):
		return errors.New("is sealed, so it needs the lifetime LifetimeThread and has no reducer")
	case f.Lifetime > LifetimeStep:
		return fmt.Errorf("lifetime %d is unknown; use LifetimeThread, LifetimeRun or LifetimeStep", f.Lifetime)
	}
	if slot, ok := t.slots[f.Name]; ok {
		present := &t.fields[slot]
		if present.Exclusive || f.Exclusive {
			return fmt.Errorf("%s declares it too, and a plugin owns it; use another name, or grant it to the plugin in reads and writes",
				present.owner)
		}
		if present.same(&f) || (present.owner.Kind == SubjectState && owner.Kind != SubjectState) {
			return nil
		}
		return fmt.Errorf("%s declares it differently; make the declarations equal, or declare it in the agent's State, which wins",
			present.owner)
	}
	compiled, err := schema.Compile(f.Schema)
	if err != nil {
		return err
	}
	if t.slots == nil {
		t.slots = map[string]int{}
	}
	t.slots[f.Name] = len(t.fields)
	t.fields = append(t.fields, fieldEntry{Field: f, schema: compiled, owner: owner})
	t.hasStep = t.hasStep || f.Lifetime == LifetimeStep
	return nil
}

// unset returns the values of no fields.
func (t *fieldTable) unset() []wire.Raw { return make([]wire.Raw, len(t.fields)) }

// initial returns the values of a new thread.
func (t *fieldTable) initial() []wire.Raw {
	values := t.unset()
	for slot := range t.fields {
		values[slot] = t.fields[slot].Reducer.Initial
	}
	return values
}

var errSealed = errors.New("the field is sealed; neither a run nor an input may change it")

// fits returns an error if no update may have the value: it does not fit the field's schema, or the field is sealed.
func (f *fieldEntry) fits(value wire.Raw) error {
	if f.Sealed {
		return errSealed
	}
	if err := f.schema.Validate(value); err != nil {
		return fmt.Errorf("the value does not fit the field's schema: %w", err)
	}
	return nil
}
