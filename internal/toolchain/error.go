package toolchain

import "fmt"

// SourceError is a directory from which no plugin can be built.
type SourceError struct {
	Dir  string
	Text string
}

func (e *SourceError) Error() string { return fmt.Sprintf("%s: %s", e.Dir, e.Text) }

// MissingError is a part of a toolchain that is not there.
type MissingError struct {
	Language Language
	What     string // that is missing
	Remedy   string // how to get it
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is missing, which --lang %s needs\n%s", e.What, e.Language, e.Remedy)
}

// FailedError is a tool that ran and failed. It has told why itself.
type FailedError struct {
	Tool string
	Err  error
}

func (e *FailedError) Error() string { return fmt.Sprintf("%s failed: %v", e.Tool, e.Err) }

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.Err }
