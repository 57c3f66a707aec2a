package script

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/sdk/python"
)

const (
	initFile    = "__init__.py"
	vendorDir   = "vendor"
	maxSource   = 1 << 20 // bytes of one file
	maxSources  = 16 << 20
	pythonFiles = ".py"
)

// isPython reports whether the path names a script in Python: a file, or a package's directory.
func isPython(name string) bool {
	if strings.EqualFold(filepath.Ext(name), pythonFiles) {
		return true
	}
	return isFile(filepath.Join(name, initFile))
}

// collect reads a script in Python: one file, or a package with all its modules, and the packages of the directory vendor beside it.
// The same files give the same result in any directory. It also returns the paths of the files and directories that it has read: a
// directory changes when it gets a file.
func collect(given string) (s python.Script, read []string, err error) {
	name, err := filepath.Abs(given)
	if err != nil {
		return s, nil, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return s, nil, unreadable(given, err)
	}
	c := collection{files: map[string]string{}}
	s = python.Script{File: filepath.Base(name), Files: c.files}
	dir := filepath.Dir(name)
	if info.IsDir() {
		dir = name
		s.File = path.Join(filepath.Base(name), initFile)
		err = c.tree(name, filepath.Base(name), vendorDir)
	} else {
		err = c.add(name, s.File)
	}
	if err != nil {
		return s, nil, err
	}
	vendor := filepath.Join(dir, vendorDir)
	if info, err := os.Stat(vendor); err == nil && info.IsDir() {
		if err := c.tree(vendor, vendorDir, ""); err != nil {
			return s, nil, err
		}
	}
	return s, c.read, nil
}

// collection is the files of a script, by their paths in errors.
type collection struct {
	files map[string]string
	read  []string // the paths of the files and directories
	size  int
}

// tree adds the modules below a directory, but not those of its subdirectory skip.
func (c *collection) tree(dir, as, skip string) error {
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		switch {
		case entry.IsDir() && (below == skip || entry.Name() == "__pycache__"):
			return fs.SkipDir
		case entry.IsDir():
			c.read = append(c.read, name)
			return nil
		case filepath.Ext(name) == ".so" || filepath.Ext(name) == ".pyd":
			return &Error{Problems: []Problem{{Text: fmt.Sprintf("%s is native code, which does not run in a plugin; "+
				"use a package that is written in Python alone", path.Join(as, below))}}}
		case filepath.Ext(name) != pythonFiles:
			return nil
		}
		return c.add(name, path.Join(as, below))
	})
}

func (c *collection) add(name, as string) error {
	text, err := regularfile.Read(name, maxSource)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return &Error{Problems: []Problem{{File: as, Line: 1, Text: "the file is not UTF-8"}}}
	}
	if c.size += len(text); c.size > maxSources {
		return &Error{Problems: []Problem{{Text: fmt.Sprintf("the files of the plugin have more than %d MiB; "+
			"remove what it does not import from %s", maxSources>>20, vendorDir)}}}
	}
	c.files[as], c.read = string(text), append(c.read, name)
	return nil
}
