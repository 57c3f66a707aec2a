package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// workspaceOf returns the absolute path of a configured workspace; "" stays "".
func workspaceOf(root string) (string, error) {
	if root == "" {
		return "", nil
	}
	path, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("workspace_root: %w", err)
	}
	return path, nil
}

// shellWorkspace is the directory of a run's sessions.
type shellWorkspace struct {
	dir       string // "" if there is none yet
	temporary bool
}

// prepare creates the directory if that was not done.
func (w *shellWorkspace) prepare(root string) (err error) {
	switch {
	case w.temporary:
		return nil
	case root != "":
		w.dir = root
		err = os.MkdirAll(root, 0o750)
	default:
		w.dir, err = os.MkdirTemp("", "agenthost-shell-")
		w.temporary = err == nil
	}
	if err != nil {
		return fmt.Errorf("the workspace of the shell cannot be created: %w", err)
	}
	return nil
}

// remove removes a temporary directory, even if a command has removed permissions from its directories.
func (w *shellWorkspace) remove() error {
	if !w.temporary {
		return nil
	}
	w.temporary = false
	err := os.RemoveAll(w.dir)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	w.unlock()
	return os.RemoveAll(w.dir)
}

// unlock restores the permissions of all directories as far as possible. It does not follow links out of the workspace.
func (w *shellWorkspace) unlock() {
	if info, err := os.Lstat(w.dir); err != nil || !info.IsDir() {
		return
	}
	_ = os.Chmod(w.dir, 0o700) //nolint:gosec // a directory needs the x permission
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	_ = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = root.Chmod(path, 0o700) // before it is read; remove reports what stays locked
		}
		return nil
	})
}
