package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxProblems bounds the number of problems in one error. Twenty are enough for one round of corrections.
const maxProblems = 20

// Problem is one mistake in a file, and its place.
type Problem struct {
	// File is the name given to [Decode], or the text of the flag (`--set model.name=x`) if the
	// value was given on the command line. It is empty if the place is unknown.
	File string
	// Line and Column count from 1. Each rune is one column, even a tab. Both are 0 if there is no line to show, as for a flag.
	Line, Column int
	// Path leads to the value inside the document: middleware[2].tool_call_limit.run_limit. It is empty at the root.
	Path string
	// Message says what is wrong and, where it helps, what was expected. It is never empty.
	Message string
	// Hint says how to correct the mistake. It may be empty.
	Hint string
	// Source is the whole line as it is in the file, without expanding variables, and with *** in place of secrets.
	Source string

	caret int // the column in Source that stands for Column; 0: the same
	cause error
}

// Error is the error of Decode, Parse, Join and the methods of [Node]. It holds the problems found, at most 20, in the order of the
// file.
type Error struct {
	Problems []Problem
	// More counts the problems that were left out.
	More int
}

// Error renders every problem with its source line, a caret below the column, and its hint.
func (e *Error) Error() string {
	var out strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			out.WriteString("\n")
		}
		out.WriteString(p.String())
	}
	if e.More > 0 {
		fmt.Fprintf(&out, "\n… and %d more", e.More)
	}
	return out.String()
}

// Unwrap returns the errors that [Node.Errorf] and Join wrapped, for errors.Is and errors.As. It leaves out errors whose text contained
// the value of a variable.
func (e *Error) Unwrap() []error {
	var causes []error
	for _, p := range e.Problems {
		if p.cause != nil {
			causes = append(causes, p.cause)
		}
	}
	return causes
}

// Join merges errors into one *Error, sorted by file and place. It returns nil if all errors are nil. Problems of an *Error keep their
// places; any other error becomes a problem without a place.
func Join(errs ...error) error {
	var found problems
	found.addErrors(errs)
	return found.err()
}

// problems collects up to maxProblems problems and counts the rest.
type problems struct {
	list []Problem
	more int
}

func (p *problems) add(problem Problem) {
	if len(p.list) >= maxProblems {
		p.more++
		return
	}
	p.list = append(p.list, problem)
}

func (p *problems) addErrors(errs []error) {
	for _, err := range errs {
		switch e := err.(type) { //nolint:errorlint // A wrapped *Error keeps the text of its wrapping.
		case nil:
		case *Error:
			p.merge(problems{e.Problems, e.More})
		case interface{ Unwrap() []error }:
			p.addErrors(e.Unwrap())
		default:
			p.add(Problem{Message: err.Error(), cause: err})
		}
	}
}

func (p *problems) merge(other problems) {
	for _, problem := range other.list {
		p.add(problem)
	}
	p.more += other.more
}

// count returns the number of problems, including those left out, so that a caller can tell whether any were added.
func (p *problems) count() int { return len(p.list) + p.more }

// err returns nil or an *Error. It sorts files by their first problem, and lines in the order of the file. Problems without a line
// come last.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	rank := map[string]int{}
	for _, problem := range p.list {
		if _, ok := rank[problem.File]; !ok {
			rank[problem.File] = len(rank)
		}
	}
	sorted := slices.Clone(p.list)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(min(b.Line, 1), min(a.Line, 1)),
			cmp.Compare(rank[a.File], rank[b.File]),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
		)
	})
	return &Error{Problems: sorted, More: p.more}
}

// mistakef returns an error about the program that calls Decode, as opposed to the user's file.
func mistakef(format string, args ...any) error {
	return fmt.Errorf("strictyaml: "+format, args...)
}
