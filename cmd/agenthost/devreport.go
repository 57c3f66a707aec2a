//go:build !no_serve

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/internal/terminal"
)

// sayf prints a line with the time.
func (d *dev) sayf(format string, args ...any) {
	fmt.Fprintf(d.out, "%s %s\n", time.Now().Format(time.TimeOnly), terminal.Line(fmt.Sprintf(format, args...)))
}

// wrong prints what is wrong with a file: an error, with the lines of a compiler or of the file below it. The page shows it too.
func (d *dev) wrong(path string, err error) {
	d.problems[path] = problemsOf(path, err)
	text, lines := errortext.Of(err), []string(nil)
	if problem, ok := errors.AsType[*problemError](err); ok {
		lines = problem.lines
	}
	if !strings.HasPrefix(text, path) {
		text = path + ": " + text
	}
	title, rest, _ := strings.Cut(text, "\n")
	if rest != "" {
		lines = append([]string{rest}, lines...)
	}
	d.note("ERROR "+title, lines)
}

// note prints a line with the time, and further ones below it.
func (d *dev) note(title string, lines []string) {
	d.sayf("%s", title)
	for _, line := range lines {
		for part := range strings.Lines(terminal.Text(line)) {
			fmt.Fprintln(d.out, strings.TrimRight("  "+part, " \r\n"))
		}
	}
}
