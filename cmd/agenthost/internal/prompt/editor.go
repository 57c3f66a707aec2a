package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/agenthost/agenthost/internal/regularfile"
)

// Editor runs the user's text editor.
type Editor struct {
	LookupEnv func(name string) (string, bool) // for VISUAL and EDITOR; os.LookupEnv if nil
	In        io.Reader                        // the terminal
	Out       io.Writer                        // the terminal
	// Hold keeps Ctrl-C from ending this command while the editor has the terminal, until release is called. It may be nil.
	Hold func() (release func())
}

// maxEdited is the size of the largest text that the editor may return, in bytes.
const maxEdited = 4 << 20

// Edit writes a text to a private file, opens it in the editor that VISUAL or EDITOR names, or in vi, and returns the content
// of the file when the editor ends.
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
	// As in git, a shell interprets the variable: it may have arguments and quoted paths.
	c := exec.CommandContext(ctx, "sh", "-c", "exec "+command+` "$1"`, "sh", f.Name()) //nolint:gosec // the user's own variable
	c.Stdin, c.Stdout, c.Stderr = e.In, e.Out, e.Out
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("the editor %q failed: %w; set VISUAL or EDITOR to another editor", command, err)
	}
	return regularfile.Read(f.Name(), maxEdited)
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
