package toolchain

import "fmt"

// SourceError reports a directory from which no plugin can be built.
type SourceError struct {
	Dir  string
	Text string
}

func (e *SourceError) Error() string { return fmt.Sprintf("%s: %s", e.Dir, e.Text) }

// MissingError reports a missing part of a toolchain.
type MissingError struct {
	Language Language
	What     string // the missing part
	Remedy   string // how to get it
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is missing; --lang %s needs it\n%s", e.What, e.Language, e.Remedy)
}

// FailedError reports a tool that ran and failed. The tool has already printed the reason.
type FailedError struct {
	Tool string
	Err  error
}

func (e *FailedError) Error() string { return fmt.Sprintf("%s failed: %v", e.Tool, e.Err) }

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.Err }
