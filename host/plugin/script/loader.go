package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/sdk/js"
	"github.com/agenthost/agenthost/sdk/python"
)

// Loader loads scripts. It is a [plugin.Loader].
type Loader struct{}

// Loads reports whether the path names a script: a file with one of its extensions, or a directory with a package.json or an
// __init__.py.
func (Loader) Loads(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ts", ".mts", ".js", ".mjs", pythonFiles:
		return true
	case ".wasm":
		return false
	}
	return isFile(filepath.Join(path, packageFile)) || isPython(path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Load bundles the script, and returns it with its engine. The error is a [*Error] if the script is to blame.
func (Loader) Load(path string) ([]byte, error) {
	if isPython(path) {
		s, _, err := collect(path)
		if err != nil {
			return nil, err
		}
		return python.Plugin(s)
	}
	entry, err := entryOf(path)
	if err != nil {
		return nil, err
	}
	s, err := bundle(entry)
	if err != nil {
		return nil, err
	}
	return js.Plugin(s)
}

// Files returns the files of the script: those that Load bundles, and a directory's package.json; in Python also the directories.
func (Loader) Files(path string) ([]string, error) {
	if isPython(path) {
		_, files, err := collect(path)
		return files, err
	}
	entry, err := entryOf(path)
	if err != nil {
		return nil, err
	}
	files, err := bundled(entry)
	if err != nil {
		return nil, err
	}
	if own := filepath.Join(path, packageFile); isFile(own) {
		files = append(files, own)
	}
	return files, nil
}

const (
	packageFile = "package.json"
	maxPackage  = 1 << 20 // bytes
)

// unreadable says why the file or directory of a script cannot be read.
func unreadable(given string, err error) error {
	worded := regularfile.Unreadable(given, "file", err)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("plugin file: %w; correct the path", worded)
	}
	return fmt.Errorf("plugin file: %w", worded)
}

// entryOf returns the absolute path of the file with which the script begins: of a directory, what its package.json says in main.
func entryOf(given string) (string, error) {
	path, err := filepath.Abs(given)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", unreadable(given, err)
	}
	if !info.IsDir() {
		return path, nil
	}
	file := filepath.Join(path, packageFile)
	text, err := regularfile.Read(file, maxPackage)
	if err != nil {
		return "", fmt.Errorf("plugin directory: %w", err)
	}
	var p struct {
		Main string `json:"main"`
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	if p.Main == "" {
		return "", fmt.Errorf(`%s: it has no "main"; name the file that exports the plugin`, file)
	}
	return filepath.Join(path, filepath.FromSlash(p.Main)), nil
}
