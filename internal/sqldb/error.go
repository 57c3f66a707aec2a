package sqldb

import (
	"context"
	"errors"
	"fmt"
)

// Failed adds the name of the database and, if it is known, the meaning of the error. An error that the caller made known with
// Knowing, or that Failed has returned before, stays as it is.
func (d *Database) Failed(err error) error {
	var ours *databaseError
	switch {
	case err == nil, errors.As(err, &ours), errors.Is(err, context.Canceled):
		return err
	}
	for _, known := range d.known {
		if errors.Is(err, known) {
			return err
		}
	}
	return &databaseError{d.name, d.dialect.Classify(err), err}
}

// databaseError is an error of a database.
type databaseError struct {
	database string
	meaning  error // nil: not known
	err      error
}

func (e *databaseError) Error() string {
	if e.meaning == nil {
		return fmt.Sprintf("%s: %v", e.database, e.err)
	}
	return fmt.Sprintf("%s: %v (%v)", e.database, e.meaning, e.err)
}

func (e *databaseError) Unwrap() []error {
	if e.meaning == nil {
		return []error{e.err}
	}
	return []error{e.meaning, e.err}
}
