//go:build !no_serve

package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/served"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/filewatch"
	"github.com/agenthost/agenthost/internal/terminal"
	devpage "github.com/agenthost/agenthost/server/dev"
)

// devAgent is an agent of dev.
type devAgent struct {
	path    string // of its manifest
	used    *usedFiles
	seen    filewatch.State // its files, without plugins, when they were last read
	changed bool            // what is served is not what the files say
	served  *served.Agent   // nil: it was never built
	own     []plugin.Wasm   // the plugins of the manifest itself
	inUse   map[string]int  // the versions of its plugins, by path

	digests map[string]string // of its plugins when the page was last told, by path
	change  *devpage.Change   // the last one that is in use; nil: there was none
}

// patterns returns the files that the agent is made of, without plugins.
func (a *devAgent) patterns() []filewatch.Pattern {
	patterns := []filewatch.Pattern{filewatch.File(a.path)}
	for _, path := range a.used.paths() {
		if !isPluginPath(path) { // a directory is one of skills
			patterns = append(patterns, filewatch.File(path), filewatch.Pattern{Dir: path, Match: "*/SKILL.md"})
		}
	}
	return patterns
}

// saw notes the state of the files after they were read. before is their state before that.
func (a *devAgent) saw(before filewatch.State) { a.seen = filewatch.Take(a.patterns()).Since(before) }

// versions returns the versions of the plugins that the agent uses.
func (a *devAgent) versions(plugins map[string]*devPlugin) map[string]int {
	versions := map[string]int{}
	for _, path := range a.used.paths() {
		if p := plugins[path]; p != nil {
			versions[path] = p.version
		}
	}
	return versions
}

func (a *devAgent) same(versions map[string]int) bool { return maps.Equal(a.inUse, versions) }

// onlyPlugins reports whether nothing but plugins of the manifest itself differs: then its tools can stay.
func (a *devAgent) onlyPlugins(versions map[string]int) bool {
	for path, version := range versions {
		own := slices.ContainsFunc(a.own, func(w plugin.Wasm) bool { return w.Path == path })
		if a.inUse[path] != version && !own {
			return false
		}
	}
	return true
}

// watching says which files are looked at.
func (a *devAgent) watching(plugins map[string]*devPlugin) string {
	names := []string{a.path}
	for _, path := range a.used.paths() {
		if p := plugins[path]; p != nil {
			names = append(names, p.describe())
		} else if path != a.path {
			names = append(names, path)
		}
	}
	return "watching " + terminal.Lines(names)
}

// usedFiles are files that an agent is made of. Several goroutines may add to them.
type usedFiles struct {
	mu  sync.Mutex
	all map[string]bool
}

func (u *usedFiles) add(path string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all == nil {
		u.all = map[string]bool{}
	}
	u.all[path] = true
}

// paths returns the files, sorted.
func (u *usedFiles) paths() []string {
	if u == nil {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return sortedKeys(u.all)
}

func (u *usedFiles) has(path string) bool { return slices.Contains(u.paths(), path) }

// with returns the files of both.
func (u *usedFiles) with(more *usedFiles) *usedFiles {
	both := &usedFiles{}
	for _, path := range append(u.paths(), more.paths()...) {
		both.add(path)
	}
	return both
}

// isPluginPath reports whether a path of a manifest is that of a plugin.
func isPluginPath(path string) bool {
	return strings.EqualFold(filepath.Ext(path), ".wasm") || loaderOf(path) != nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
