package toolchain

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// ProjectFile is the file that says how the plugin in its directory is built.
const ProjectFile = "plugin.yaml"

// project is the content of a [ProjectFile].
type project struct {
	Language string `yaml:"language" strict:"required,enum=go|tinygo|rust"` // the language and its compiler
}

// maxProject is the size of the largest project file, in bytes.
const maxProject = 64 << 10

// remembered returns the language that a directory's project file names, or "" if there is no such file.
func remembered(dir string) (Language, error) {
	path := filepath.Join(dir, ProjectFile)
	text, err := regularfile.Read(path, maxProject)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var p project
	if err == nil {
		err = strictyaml.Decode(path, text, &p)
	}
	return Language(p.Language), err
}

// DefaultOutput returns the file that a build writes if nothing else is said: DIR/NAME.wasm, where NAME is the name of the directory.
func DefaultOutput(dir string) string {
	name := dir
	if absolute, err := filepath.Abs(dir); err == nil { // the name of "."
		name = absolute
	}
	return filepath.Join(dir, filepath.Base(name)+".wasm")
}
