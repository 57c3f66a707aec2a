package files

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/agenthost/agenthost/internal/filetext"
	"github.com/agenthost/agenthost/internal/rootdir"
)

const (
	defaultListed = 200
	maxListed     = 1000
)

// Entry is a file or directory.
type Entry struct {
	Path string // relative to the root, with slashes
	Dir  bool
	Link bool  // a symbolic link
	Size int64 // the size of a file, in bytes
}

// String returns the path with the kind or size of the entry.
func (e Entry) String() string {
	name := filetext.OneLine(e.Path)
	switch {
	case e.Dir:
		return name + "/"
	case e.Link:
		return name + " (link)"
	}
	return fmt.Sprintf("%s (%d bytes)", name, e.Size)
}

// Listing is the result of [Root.List].
type Listing struct {
	Entries    []Entry
	Offset     int  // the index of the first entry, from 0
	More       int  // entries that follow the last one
	Unreadable int  // directories that could not be read
	Stopped    bool // the directory has more entries than one call visits

	glob string
}

// List lists the entries of a directory or, with a pattern, all files below it that match. Entries are sorted by name, each
// directory before its entries. Limit is the number of entries to return, at most 1,000; 0 means 200.
//
// The pattern is a glob: * and ? match any characters and one character between two slashes, [a-z] matches one character of
// a set, ** matches any number of directories, and {a,b} matches either. A pattern without a slash matches the names of
// files at any depth, a pattern with a slash matches the path relative to dir, and /*.log matches only files in dir itself.
func (r *Root) List(ctx context.Context, dir, pattern string, offset, limit int) (*Listing, error) {
	name, err := r.directory(dir)
	if err != nil {
		return nil, err
	}
	match, err := globMatcher(pattern)
	if err != nil {
		return nil, err
	}
	if offset < 0 || limit < 0 {
		return nil, &ArgumentError{"offset and limit", "must not be negative"}
	}
	listing := &Listing{Offset: offset, glob: pattern}
	window := newWindow(offset, limit, defaultListed, maxListed, r.options.MaxOutput)
	add := func(name string, entry fs.DirEntry) {
		e := entryOf(name, entry)
		if window.take(len(e.String())) {
			listing.Entries = append(listing.Entries, e)
		}
	}
	if pattern == "" {
		err = r.listOne(name, add)
	} else {
		var w rootdir.Walk
		w, err = r.root.Walk(ctx, name, func(each string, entry fs.DirEntry) bool {
			if !entry.IsDir() && match(relative(name, each)) {
				add(each, entry)
			}
			return true
		})
		listing.Unreadable, listing.Stopped = w.Unreadable, w.Stopped
	}
	listing.More = window.more()
	return listing, err
}

// relative returns the path from a directory to an entry below it.
func relative(dir, name string) string {
	if dir == "." {
		return name
	}
	return strings.TrimPrefix(name, dir+"/")
}

// globMatcher returns the function that matches relative paths; the empty pattern matches all of them.
func globMatcher(pattern string) (func(relative string) bool, error) {
	if pattern == "" {
		return func(string) bool { return true }, nil
	}
	g, err := filetext.ParseSearchGlob(pattern)
	if err != nil {
		return nil, &ArgumentError{"glob", err.Error()}
	}
	return g.Match, nil
}

// listOne adds the entries of one directory.
func (r *Root) listOne(dir string, add func(string, fs.DirEntry)) error {
	entries, err := r.root.ReadDir(dir)
	if err != nil {
		return r.pathError(dir, dir, err)
	}
	for _, entry := range entries {
		add(path.Join(dir, entry.Name()), entry)
	}
	return nil
}

func entryOf(name string, entry fs.DirEntry) Entry {
	e := Entry{Path: name, Dir: entry.IsDir(), Link: entry.Type()&fs.ModeSymlink != 0}
	if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
		e.Size = info.Size()
	}
	return e
}

// String returns one line for each entry, followed by a note about everything that was left out.
func (l *Listing) String() string {
	var out strings.Builder
	for _, e := range l.Entries {
		out.WriteString(e.String() + "\n")
	}
	switch {
	case len(l.Entries) > 0 && l.More > 0:
		fmt.Fprintf(&out, "… %d more; go on with offset %d\n", l.More, l.Offset+len(l.Entries))
	case len(l.Entries) > 0:
	case l.Offset > 0:
		fmt.Fprintf(&out, "No more files: there are no more than %d.\n", l.Offset)
	case l.glob != "":
		fmt.Fprintf(&out, "No files match %q.\n", l.glob)
	default:
		out.WriteString("No files: the directory is empty.\n")
	}
	out.WriteString(walkNotes(l.Unreadable, l.Stopped))
	return strings.TrimSuffix(out.String(), "\n")
}

func walkNotes(unreadable int, stopped bool) string {
	var notes strings.Builder
	if unreadable > 0 {
		fmt.Fprintf(&notes, "[%s could not be read]\n", count(unreadable, "directory", "directories"))
	}
	if stopped {
		fmt.Fprintf(&notes, "[stopped after %d files and directories; give a dir to look at fewer]\n", rootdir.MaxVisited)
	}
	return notes.String()
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
