package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/filetext"
	"github.com/agenthost/agenthost/internal/text"
)

const (
	defaultMatches = 100
	maxMatches     = 1000
	// maxLine is the size of the excerpt of a matching line, in bytes.
	maxLine = 500
	// maxPattern is the length of the longest regular expression, in bytes.
	maxPattern = 10_000
)

// Query describes a search.
type Query struct {
	Pattern string // a regular expression in RE2's syntax, matched against each line
	Dir     string // the directory to search; empty means the root
	Glob    string // the files to search, see [Root.List]; empty means all
	Offset  int    // matches to skip
	Limit   int    // matches to return, at most 1,000; 0 means 100
}

// Match is a line that matches.
type Match struct {
	Path string // relative to the root, with slashes
	Line int    // counting from 1
	Text string // at most 500 bytes around the match, with … where it is cut; valid UTF-8
}

// String returns path:line: text, like grep.
func (m Match) String() string {
	return fmt.Sprintf("%s:%d: %s", filetext.OneLine(m.Path), m.Line, m.Text)
}

// Matches is the result of [Root.Search].
type Matches struct {
	Found      []Match
	Offset     int  // the index of the first match, from 0
	More       int  // matches that follow the last one
	Files      int  // files that were searched
	Binary     int  // files that were skipped because they are not text
	TooLarge   int  // files that were skipped because they are larger than [Options].MaxFile
	Unreadable int  // files and directories that could not be read
	Stopped    bool // the search ended before the last file

	pattern string
}

// Search finds the lines that match, in the order of [Root.List]. It skips binary files and large files, and does not follow
// symbolic links. It ends with the cause of the context when the context ends.
func (r *Root) Search(ctx context.Context, q Query) (*Matches, error) {
	if q.Pattern == "" || len(q.Pattern) > maxPattern {
		return nil, &ArgumentError{"pattern", fmt.Sprintf("must have 1 to %d bytes", maxPattern)}
	}
	pattern, err := regexp.Compile(q.Pattern)
	if err != nil {
		return nil, &ArgumentError{"pattern", strings.TrimPrefix(err.Error(), "error parsing regexp: ") + "; the syntax is RE2's"}
	}
	match, err := globMatcher(q.Glob)
	if err != nil {
		return nil, err
	}
	if q.Offset < 0 || q.Limit < 0 {
		return nil, &ArgumentError{"offset and limit", "must not be negative"}
	}
	dir, err := r.directory(q.Dir)
	if err != nil {
		return nil, err
	}
	result := &Matches{Offset: q.Offset, pattern: q.Pattern}
	window := newWindow(q.Offset, q.Limit, defaultMatches, maxMatches, r.options.MaxOutput)
	search := filetext.Search{
		MaxFile: r.options.MaxFile,
		Open: func(_ context.Context, name string) (io.ReadCloser, error) {
			file, _, err := r.root.OpenFile(name)
			return file, err
		},
		Line: func(ctx context.Context, name string, number int, line []byte) bool {
			if at := text.Find(ctx, pattern, line); at != nil {
				found := Match{name, number, excerpt(line, at)}
				if window.take(len(found.String())) {
					result.Found = append(result.Found, found)
				}
			}
			return true
		},
	}
	walk, err := r.root.Walk(ctx, dir, func(name string, entry fs.DirEntry) bool {
		if !entry.Type().IsRegular() || !match(relative(dir, name)) {
			return true
		}
		var size int64
		if info, err := entry.Info(); err == nil {
			size = info.Size()
		}
		return search.File(ctx, name, size)
	})
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	result.More = window.more()
	result.Files, result.Binary, result.TooLarge = search.Files, search.Binary, search.TooLarge
	result.Unreadable = search.Unreadable + walk.Unreadable
	result.Stopped = search.Stopped || walk.Stopped
	return result, err
}

// excerpt returns the part of a line around a match, as valid UTF-8.
func excerpt(line []byte, at []int) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	from, to := 0, len(line)
	if len(line) > maxLine {
		from = max(0, min(at[0]-maxLine/4, len(line)-maxLine))
		to = from + maxLine
		for from > 0 && from < at[0] && !utf8.RuneStart(line[from]) {
			from++
		}
		to = from + len(text.Head(line[from:], to-from))
	}
	var out strings.Builder
	if from > 0 {
		out.WriteString("…")
	}
	appendValid(&out, string(line[from:to]))
	if to < len(line) {
		out.WriteString("…")
	}
	return out.String()
}

// String returns one line for each match, followed by a note about everything that was left out.
func (m *Matches) String() string {
	var out strings.Builder
	for _, match := range m.Found {
		out.WriteString(match.String() + "\n")
	}
	switch {
	case len(m.Found) > 0 && m.More > 0:
		fmt.Fprintf(&out, "… %d more; go on with offset %d\n", m.More, m.Offset+len(m.Found))
	case len(m.Found) > 0:
	case m.Offset > 0:
		fmt.Fprintf(&out, "No matches: there are no more than %d.\n", m.Offset)
	default:
		fmt.Fprintf(&out, "No matches for %q in %s.\n", m.pattern, count(m.Files, "file", "files"))
	}
	var skipped []string
	for _, kind := range []struct {
		n    int
		name string
	}{{m.Binary, "binary"}, {m.TooLarge, "too large"}, {m.Unreadable, "not readable"}} {
		if kind.n > 0 {
			skipped = append(skipped, fmt.Sprintf("%d %s", kind.n, kind.name))
		}
	}
	if len(skipped) > 0 {
		fmt.Fprintf(&out, "[not searched: %s]\n", strings.Join(skipped, ", "))
	}
	if m.Stopped {
		out.WriteString("[stopped before the end: there is too much to search; give a dir or a glob]\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}
