package files

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/text"
)

const (
	maxNear        = 3
	maxNearEntries = 2000 // entries of a directory that are compared
)

// near returns existing paths that a caller may have meant by a missing one: similar names in the same directory, or the
// same name in a directory of it.
func (r *Root) near(name string) []string {
	dir, wanted := path.Split(name)
	dir = path.Clean(dir)
	entries, err := r.root.ReadDir(dir)
	if err != nil {
		// The directory itself is missing.
		if dir == "." {
			return nil
		}
		return r.near(dir)
	}
	if len(entries) > maxNearEntries {
		entries = entries[:maxNearEntries]
	}
	type candidate struct {
		path     string
		distance int
	}
	var found []candidate
	for _, entry := range entries {
		if d := distance(wanted, entry.Name()); d >= 0 {
			found = append(found, candidate{path.Join(dir, entry.Name()), d})
		} else if entry.IsDir() {
			below := path.Join(dir, entry.Name(), wanted)
			if _, err := r.root.Stat(below); err == nil {
				found = append(found, candidate{below, len(wanted)})
			}
		}
	}
	if slices.ContainsFunc(found, func(c candidate) bool { return c.distance == 0 }) {
		found = slices.DeleteFunc(found, func(c candidate) bool { return c.distance > 0 })
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var paths []string
	for _, c := range found[:min(len(found), maxNear)] {
		paths = append(paths, c.path)
	}
	return paths
}

// distance returns the number of changed letters between two names, or -1 if the names are not similar. Similar names differ
// in case, in the extension, or in at most one letter in four.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	stemA, stemB := strings.TrimSuffix(a, path.Ext(a)), strings.TrimSuffix(b, path.Ext(b))
	switch {
	case stemA != "" && stemA == stemB:
		return 0
	case path.Ext(a) == path.Ext(b):
		a, b = stemA, stemB
	}
	limit := 1 + len(a)/4
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return -1
	}
	if d := text.Distance(a, b); d <= limit && d < len(a) {
		return d
	}
	return -1
}
