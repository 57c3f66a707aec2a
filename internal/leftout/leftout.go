// Package leftout has the error of a program that was built without one of its parts.
package leftout

import "fmt"

// Error means that a build tag left out a part of the program.
type Error struct {
	Part string // such as PostgreSQL
	Tag  string // such as no_postgres
}

func (e *Error) Error() string {
	return fmt.Sprintf("this build of agenthost has no %s; use one that was built without the tag %s", e.Part, e.Tag)
}
