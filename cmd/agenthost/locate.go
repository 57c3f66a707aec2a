package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/internal/terminal"
)

// manifestFlag is the name of the flag that names the manifest; -f is its short form.
const manifestFlag = "manifest"

// addFile adds the flag that names the manifest.
func (a *app) addFile(c *cobra.Command, persistent bool) {
	flags := c.Flags()
	if persistent {
		flags = c.PersistentFlags()
	}
	flags.StringVarP(&a.file, manifestFlag, "f", manifestFile,
		"the manifest `FILE` to use, or its directory; default: "+manifestFile+" here or in a parent directory")
	flags.Lookup(manifestFlag).DefValue = "" // the usage says more
}

// locate finds the manifest of a command. -f names it or its directory. Otherwise it is in the current directory or in the nearest
// parent directory that has one, which is told on standard error.
func (a *app) locate(c *cobra.Command) error {
	if flag := c.Flag(manifestFlag); flag != nil && flag.Changed {
		a.file = insideDirectory(a.file)
		return nil
	}
	found, err := manifestAbove()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if found == "" || found == manifestFile {
		return nil // the command itself reports that there is none
	}
	a.file = found
	if quiet := c.Flag("quiet"); quiet == nil || !quiet.Changed {
		fmt.Fprintln(a.err, "· using "+terminal.Line(found))
	}
	return nil
}

// insideDirectory returns the manifest in a directory, or the path itself if it is something else.
func insideDirectory(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, manifestFile)
	}
	return path
}

// manifestAbove looks for a manifest in the current directory and its parents. It stops at the home directory, or at the root of
// the file system if the current directory is not below the home directory.
func manifestAbove() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", nil //nolint:nilerr // the command reports that it cannot read the manifest
	}
	home, _ := os.UserHomeDir() // "" is the path of no directory
	return manifestFrom(here, filepath.Clean(home))
}

// manifestFrom returns the path of the nearest manifest, relative to here, or "" if there is none up to the directory last.
func manifestFrom(here, last string) (string, error) {
	for dir, name := here, manifestFile; ; dir, name = filepath.Dir(dir), filepath.Join("..", name) {
		info, err := os.Lstat(filepath.Join(dir, manifestFile))
		switch {
		case err == nil && name == manifestFile:
			return name, nil
		case err == nil:
			return name, trusted(name, dir, info)
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("%s: %w; name another manifest with -f FILE", name, err)
		}
		if dir == last || dir == filepath.Dir(dir) {
			return "", nil
		}
	}
}

// trusted refuses a manifest in a parent directory if another user could have put it there: a manifest starts programs.
func trusted(name, dir string, file fs.FileInfo) error {
	parent, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("%s: %w; name another manifest with -f FILE", name, err)
	}
	if !owned(file) || !owned(parent) {
		return fmt.Errorf("%s: the file or its directory may belong to another user, who could make you run programs; "+
			"if you trust the file, name it with -f %s", terminal.Line(name), terminal.Line(name))
	}
	return nil
}
