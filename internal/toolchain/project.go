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
	GC       string `yaml:"gc"       strict:"enum=precise|leaking"`         // how TinyGo frees memory; "": as it does by default
}

// maxProject is the size of the largest project file, in bytes.
const maxProject = 64 << 10

// readProject returns what a directory's project file says, or the zero value if there is no such file.
func readProject(dir string) (p project, err error) {
	path := filepath.Join(dir, ProjectFile)
	text, err := regularfile.Read(path, maxProject)
	if errors.Is(err, fs.ErrNotExist) {
		return project{}, nil
	}
	if err == nil {
		err = strictyaml.Decode(path, text, &p)
	}
	return p, err
}

// DefaultOutput returns the file that a build writes if nothing else is said: DIR/NAME.wasm, where NAME is the name of the directory.
func DefaultOutput(dir string) string {
	name := dir
	if absolute, err := filepath.Abs(dir); err == nil { // the name of "."
		name = absolute
	}
	return filepath.Join(dir, filepath.Base(name)+".wasm")
}
