//go:build no_scripts

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/leftout"
)

// loaders returns what refuses scripts.
func loaders() []plugin.Loader { return []plugin.Loader{noScripts{}} }

// noScripts refuses what package host/plugin/script would load.
type noScripts struct{}

func (noScripts) Loads(path string) bool {
	if slices.Contains([]string{".ts", ".mts", ".js", ".mjs", ".py"}, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	return slices.ContainsFunc([]string{"package.json", "__init__.py"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(path, name))
		return err == nil
	})
}

func (noScripts) Load(string) ([]byte, error)    { return nil, errNoScripts }
func (noScripts) Files(string) ([]string, error) { return nil, errNoScripts }

var errNoScripts = &leftout.Error{Part: "engines for plugins in JavaScript, TypeScript and Python", Tag: "no_scripts"}
