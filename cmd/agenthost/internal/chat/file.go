package chat

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/attachment"
	"github.com/agenthost/agenthost/internal/terminal"
)

// attach adds a file to the next message.
func (c *Chat) attach(_ context.Context, path string) error {
	file, err := attachment.Read(atHome(path))
	if err == nil {
		files := append(slices.Clip(c.attached), file)
		if c.Takes != nil {
			err = c.Takes(files...)
		}
		if err == nil {
			c.attached = files
			c.Screen.Notef("· %s (%s) goes with the next message", terminal.Line(file.Name), file.MIMEType)
			return nil
		}
	}
	return &CommandError{"/file: " + err.Error()}
}

// detach removes the files that were added.
func (c *Chat) detach(context.Context) error {
	if len(c.attached) == 0 {
		c.Screen.Notef("· no files were added; /file PATH adds one to the next message")
		return nil
	}
	names := make([]string, len(c.attached))
	for i, file := range c.attached {
		names[i] = terminal.Line(file.Name)
	}
	c.attached = nil
	c.Screen.Notef("· removed from the next message: %s", strings.Join(names, ", "))
	return nil
}

// atHome replaces ~ at the beginning of a path by the home directory, as a shell does.
func atHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return path
	}
	return filepath.Join(home, rest)
}
