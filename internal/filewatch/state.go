package filewatch

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Pattern names files.
type Pattern struct {
	Dir   string // a directory; without Match, the path of a file
	Match string // the paths below the directory, as for [path.Match], such as *.go or */SKILL.md; "": Dir is the file itself
}

// File returns the pattern of a single file.
func File(path string) Pattern { return Pattern{Dir: path} }

// State is what is known about files, by their paths. Files that do not exist are left out.
type State map[string]os.FileInfo

// Take returns the present state of the files that the patterns name. A directory that cannot be read has no files.
func Take(patterns []Pattern) State {
	state := State{}
	for _, p := range patterns {
		if p.Match == "" {
			state.add(p.Dir)
			continue
		}
		below, _ := fs.Glob(os.DirFS(p.Dir), p.Match) // the patterns are well-formed
		for _, name := range below {
			state.add(filepath.Join(p.Dir, filepath.FromSlash(name)))
		}
	}
	return state
}

func (s State) add(path string) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		s[path] = info
	}
}

// Equal reports whether the files are the same and unchanged.
func (s State) Equal(other State) bool { return maps.EqualFunc(s, other, same) }

func same(a, b os.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode() && os.SameFile(a, b)
}

// Since returns the state with what an earlier one knew of the same files, so that a change between the two still counts as one.
func (s State) Since(earlier State) State {
	out := maps.Clone(s)
	for path := range out {
		if known, ok := earlier[path]; ok {
			out[path] = known
		}
	}
	return out
}

// Paths returns the paths, sorted.
func (s State) Paths() []string { return slices.Sorted(maps.Keys(s)) }
