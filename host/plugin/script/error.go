package script

import (
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Error reports a script that cannot be bundled.
type Error struct {
	Problems []Problem // at least one
}

// Problem is one place of a script that is wrong.
type Problem struct {
	File string // relative to the script's directory; "": the problem has no place
	Line int    // from 1
	Text string
}

func (e *Error) Error() string {
	texts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		texts[i] = p.Text
		if p.File != "" {
			texts[i] = fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
		}
	}
	return "script: " + strings.Join(texts, "; ")
}

// mostProblems is how many problems an error reports.
const mostProblems = 5

func errorOf(messages []api.Message) *Error {
	e := &Error{}
	for _, m := range messages[:min(len(messages), mostProblems)] {
		p := Problem{Text: m.Text}
		if m.Location != nil {
			p.File, p.Line = m.Location.File, m.Location.Line
		}
		e.Problems = append(e.Problems, p)
	}
	return e
}
