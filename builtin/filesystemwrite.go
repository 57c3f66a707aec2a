package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
)

const (
	writeFileDescription = `Writes a file: makes it, with the directories on the way, or replaces all that it holds.

- Use it for new files and to replace whole files; you need not read the file first.
- To change a part of a file use edit_file.`

	editFileDescription = `Replaces a text in a file by another one.

- Read the file first.
- old_string must be exactly what the file has, with its indentation and without the line numbers that read_file shows, and
  must be there once unless replace_all is true.
- Prefer it to writing the whole file again.`

	deleteDescription = `Deletes a file, or a directory and everything in it.

- This cannot be undone: delete only what is no longer needed.
- Delete a directory in one call, and not file by file.`
)

// writeFileArgs are the parameters of write_file.
type writeFileArgs struct {
	FilePath string `json:"file_path" jsonschema:"Absolute path where the file should be written. Must be absolute, not relative."`
	Content  string `json:"content" jsonschema:"The text content to write to the file. This parameter is required."`
}

// editFileArgs are the parameters of edit_file.
type editFileArgs struct {
	FilePath   string `json:"file_path" jsonschema:"Absolute path to the file to edit. Must be absolute, not relative."`
	OldString  string `json:"old_string" jsonschema:"The exact text to find and replace. Must be unique in the file unless replace_all is True."`
	NewString  string `json:"new_string" jsonschema:"The text to replace old_string with. Must be different from old_string."`
	ReplaceAll bool   `json:"replace_all,omitempty" default:"false" jsonschema:"Replace all occurrences of old_string, which otherwise must be unique."`
}

// deleteArgs are the parameters of delete.
type deleteArgs struct {
	FilePath string `json:"file_path" jsonschema:"Absolute path to the file to delete. Must be absolute, not relative."`
}

func (c *fileCall) writeFile(ctx context.Context, in writeFileArgs) (*host.ToolOutput, error) {
	name, err := c.path(in.FilePath, fileWrite)
	if err == nil {
		err = c.files.Write(ctx, name, []byte(in.Content))
	}
	if err != nil {
		return nil, err
	}
	return host.TextOutput("Updated file " + name), nil
}

// editFile needs both permissions: its errors reveal the content of the file.
func (c *fileCall) editFile(ctx context.Context, in editFileArgs) (*host.ToolOutput, error) {
	name, err := c.path(in.FilePath, fileWrite, fileRead)
	if err != nil {
		return nil, err
	}
	n, err := c.files.Edit(ctx, name, backend.Edit{Old: in.OldString, New: in.NewString, All: in.ReplaceAll})
	if err != nil {
		return nil, err
	}
	return host.TextOutput(fmt.Sprintf("Successfully replaced %d instance(s) of the string in '%s'", n, name)), nil
}

// remove asks the rules about everything that it would remove.
func (c *fileCall) remove(ctx context.Context, in deleteArgs) (*host.ToolOutput, error) {
	name, err := backend.Clean(in.FilePath)
	if err == nil && len(c.rules.rules) > 0 {
		err = c.mayRemove(ctx, name)
	}
	if err == nil {
		err = c.files.Remove(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	return host.TextOutput("Deleted " + name), nil
}

func (c *fileCall) mayRemove(ctx context.Context, name string) error {
	info, err := c.files.Stat(ctx, name)
	if err != nil && c.rules.mode(fileWrite, name) != fileDeny {
		return err
	}
	var files []string
	if info.Dir {
		stopped, err := c.files.Walk(ctx, name, func(info backend.Info) bool {
			files = append(files, info.Path)
			return true
		})
		if err != nil {
			return err
		}
		if stopped {
			return errors.New("the directory has too many files to check all their permissions; delete parts of it")
		}
	}
	switch out := c.rules.removing(name, info.Dir, files); out.mode {
	case fileDeny:
		return &permissionError{fileWrite, name, " (matches deny rule(s): " + strings.Join(out.denied, ", ") + ")"}
	case fileInterrupt:
		return c.ask()
	case fileAllow:
	}
	return nil
}
