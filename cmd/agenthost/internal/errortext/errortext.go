// Package errortext prints errors for people so that nothing in them looks like output of the command.
//
// The text of an error may come from a plugin, a tool, a model or a server, and may have several lines. [Of] puts a bar before each
// line after the first, unless the command itself has laid the lines out: the advice of [Advise], a text of [LaidOut], and problems of
// a manifest.
package errortext

import (
	"strings"

	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/internal/terminal"
)

// advisedError is an error with lines of the command below it.
type advisedError struct {
	error

	lines []string
}

// Error returns the text of the error, followed by the advice.
func (e *advisedError) Error() string { return e.error.Error() + "\n" + strings.Join(e.lines, "\n") }

// Unwrap returns the error without the advice.
func (e *advisedError) Unwrap() error { return e.error }

// Advise adds lines of the command to an error: they say what to do. Untrusted texts in them must have passed [terminal.Line].
func Advise(err error, lines ...string) error { return &advisedError{err, lines} }

// laidOutError is a text of the command.
type laidOutError struct {
	text  string
	cause error
}

// Error returns the text.
func (e *laidOutError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *laidOutError) Unwrap() error { return e.cause }

// LaidOut returns an error with a text of several lines by the command itself; cause may be nil. Untrusted texts in it must have passed
// [terminal.Line] or follow a bar.
func LaidOut(text string, cause error) error { return &laidOutError{text, cause} }

// Of returns the text of an error to print at the end of a line.
func Of(err error) string {
	switch e := err.(type) { //nolint:errorlint // the text of an error around it may be untrusted
	case *advisedError:
		return Of(e.error) + "\n" + terminal.Text(strings.Join(e.lines, "\n"))
	case *laidOutError, *strictyaml.Error:
		return terminal.Text(err.Error())
	case interface{ Unwrap() []error }:
		if joined := joined(e.Unwrap()); joined.Error() == err.Error() {
			return joined.text()
		}
	}
	return terminal.Continued(err.Error())
}

// joined is a list of errors that [errors.Join] joined; each begins on a line of its own.
type joined []error

// Error returns the texts of the errors as Join does.
func (j joined) Error() string { return j.each(error.Error) }

func (j joined) text() string { return j.each(Of) }

func (j joined) each(text func(error) string) string {
	texts := make([]string, len(j))
	for i, err := range j {
		texts[i] = text(err)
	}
	return strings.Join(texts, "\n")
}
