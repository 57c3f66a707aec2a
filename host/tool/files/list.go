package files

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/rootdir"
)

const (
	defaultListed = 200
	maxListed     = 1000
)

// Entry is a file or directory.
type Entry struct {
	Path string // below the root, with slashes
	Dir  bool
	Link bool  // a symbolic link
	Size int64 // of a file, in bytes
}

// String is the path with what else a model wants to know.
func (e Entry) String() string {
	name := onOneLine(e.Path)
	switch {
	case e.Dir:
		return name + "/"
	case e.Link:
		return name + " (link)"
	}
	return fmt.Sprintf("%s (%d bytes)", name, e.Size)
}

// onOneLine is a path as a line of a result has it: a disk may have names with the ends of lines in them.
func onOneLine(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return utf8.RuneError
		}
		return c
	}, name)
}

// Listing is the result of [Root.List].
type Listing struct {
	Entries    []Entry
	Offset     int // of the first of them, counting from 0
	More       int // behind the last of them
	Unreadable int // directories that could not be read
	Stopped    bool

	glob string
}

// List lists a directory: what it has or, with a glob, every file below it that matches. Names are in order, a directory before what is
// in it. Limit is the number of entries, at most 1,000; 0 stands for 200.
//
// In a glob * and ? stand for what is between two slashes, [a-z] for a letter, ** for any number of directories, and
// {a,b} for either. It is compared with the path below dir or, if it has no slash, with the name of the file; /*.log are the files of
// dir itself.
func (r *Root) List(ctx context.Context, dir, pattern string, offset, limit int) (*Listing, error) {
	name, err := r.directory(dir)
	if err != nil {
		return nil, err
	}
	g, err := parseGlob(pattern)
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
		w, err = r.walk(ctx, name, func(name, relative string, entry fs.DirEntry) bool {
			if !entry.IsDir() && g.match(relative) {
				add(name, entry)
			}
			return true
		})
		listing.Unreadable, listing.Stopped = w.Unreadable, w.Stopped
	}
	listing.More = window.more()
	return listing, err
}

func (r *Root) listOne(dir string, add func(string, fs.DirEntry)) error {
	entries, err := fs.ReadDir(r.root.FS(), dir)
	if err != nil {
		return r.pathError(dir, dir, err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if dir != "." {
			name = dir + "/" + name
		}
		add(name, entry)
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

// String has an entry a line, and at the end what was left out.
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
		fmt.Fprintf(&notes, "[stopped after %d files and directories; give a dir to look at fewer]\n", maxVisited)
	}
	return notes.String()
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
