package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Editor is the person's own text editor.
type Editor struct {
	LookupEnv func(name string) (string, bool) // of VISUAL and EDITOR; nil: os.LookupEnv
	In        io.Reader                        // the terminal
	Out       io.Writer                        // the terminal
	// Hold keeps Ctrl-C from ending this command while the editor has the terminal, until the function is called that it
	// returns; nil: nothing does.
	Hold func() (release func())
}

// Edit opens the editor that VISUAL or EDITOR names, or vi, on a file with a text, which only its owner may read, and
// returns what it holds when the editor has ended.
func (e *Editor) Edit(ctx context.Context, text []byte) (edited []byte, err error) {
	f, err := os.CreateTemp("", "agenthost-*.json")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if e.Hold != nil {
		release := e.Hold()
		defer release()
	}
	command := e.command()
	// The variable may have arguments, and paths with spaces in quotes: so it is a shell's, as for git and others.
	c := exec.CommandContext(ctx, "sh", "-c", "exec "+command+` "$1"`, "sh", f.Name()) //nolint:gosec // the user's own variable
	c.Stdin, c.Stdout, c.Stderr = e.In, e.Out, e.Out
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("the editor %q failed: %w; set VISUAL or EDITOR to another", command, err)
	}
	return os.ReadFile(f.Name())
}

func (e *Editor) command() string {
	lookup := e.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command, ok := lookup(name); ok && command != "" {
			return command
		}
	}
	return "vi"
}
