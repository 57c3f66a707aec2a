package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/text"
)

const (
	defaultMatches = 100
	maxMatches     = 1000
	// maxLine is how much of a matching line is shown, in bytes, around the match.
	maxLine = 500
	// maxPattern bounds the regular expression, in bytes.
	maxPattern = 10_000
	// maxSearched is how much one search reads, in bytes.
	maxSearched = 512 << 20
)

// Query is what to search for.
type Query struct {
	Pattern string // a regular expression, in RE2's syntax; compared with every line
	Dir     string // below which; empty: the root
	Glob    string // of the files to search, as for [Root.List]; empty: all
	Offset  int    // matches to skip
	Limit   int    // matches to return, at most 1,000; 0: 100
}

// Match is a line that matches.
type Match struct {
	Path string // below the root, with slashes
	Line int    // counting from 1
	Text string // at most 500 bytes around the match, with … where it is cut; valid UTF-8
}

// String is path:line: text, as of grep.
func (m Match) String() string { return fmt.Sprintf("%s:%d: %s", onOneLine(m.Path), m.Line, m.Text) }

// Matches is the result of [Root.Search].
type Matches struct {
	Found      []Match
	Offset     int // of the first of them, counting from 0
	More       int // behind the last of them
	Files      int // that were searched
	Binary     int // files that were not, since they are no text
	TooLarge   int // files that were not, since they are above [Options].MaxFile
	Unreadable int // files and directories that could not be read
	Stopped    bool

	pattern string
}

// Search finds the lines that match, file after file in the order of [Root.List]. It skips binary and too large files and does not follow
// symbolic links. The context ends it.
func (r *Root) Search(ctx context.Context, q Query) (*Matches, error) {
	if q.Pattern == "" || len(q.Pattern) > maxPattern {
		return nil, &ArgumentError{"pattern", fmt.Sprintf("must have 1 to %d bytes", maxPattern)}
	}
	pattern, err := regexp.Compile(q.Pattern)
	if err != nil {
		return nil, &ArgumentError{"pattern", strings.TrimPrefix(err.Error(), "error parsing regexp: ") + "; the syntax is RE2's"}
	}
	g, err := parseGlob(q.Glob)
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
	s := searcher{
		root: r, pattern: pattern, result: &Matches{Offset: q.Offset, pattern: q.Pattern},
		window: newWindow(q.Offset, q.Limit, defaultMatches, maxMatches, r.options.MaxOutput),
	}
	w, err := r.walk(ctx, dir, func(name, relative string, entry fs.DirEntry) bool {
		if entry.Type().IsRegular() && g.match(relative) {
			s.file(ctx, name, entry)
		}
		return s.read <= maxSearched && ctx.Err() == nil
	})
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	s.result.More = s.window.more()
	s.result.Unreadable += w.Unreadable
	s.result.Stopped = w.Stopped || s.read > maxSearched
	return s.result, err
}

type searcher struct {
	root    *Root
	pattern *regexp.Regexp
	result  *Matches
	window  *window
	buffer  bytes.Buffer
	read    int64
}

func (s *searcher) file(ctx context.Context, name string, entry fs.DirEntry) {
	info, err := entry.Info()
	if err == nil && info.Size() > s.root.options.MaxFile {
		s.result.TooLarge++
		return
	}
	content, err := s.load(name)
	switch {
	case errors.Is(err, errTooLarge):
		s.result.TooLarge++
		return
	case err != nil:
		s.result.Unreadable++
		return
	}
	s.read += int64(len(content))
	if bytes.IndexByte(content[:min(len(content), sniffed)], 0) >= 0 {
		s.result.Binary++
		return
	}
	s.result.Files++
	for number := 1; len(content) > 0 && ctx.Err() == nil; number++ {
		line, rest, _ := bytes.Cut(content, []byte("\n"))
		content = rest
		at := text.Find(ctx, s.pattern, line)
		if at == nil {
			continue
		}
		match := Match{name, number, excerpt(line, at)}
		if s.window.take(len(match.String())) {
			s.result.Found = append(s.result.Found, match)
		}
	}
}

var errTooLarge = errors.New("the file grew")

// load reads a file into the searcher's buffer, which the next call uses again.
func (s *searcher) load(name string) ([]byte, error) {
	file, _, err := s.root.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	s.buffer.Reset()
	n, err := s.buffer.ReadFrom(io.LimitReader(file, s.root.options.MaxFile+1))
	if n > s.root.options.MaxFile {
		return nil, errTooLarge
	}
	return s.buffer.Bytes(), err
}

// excerpt cuts a line around a match.
func excerpt(line []byte, at []int) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	from, to := 0, len(line)
	if len(line) > maxLine {
		from = max(0, min(at[0]-maxLine/4, len(line)-maxLine))
		to = from + maxLine
		for from > 0 && from < at[0] && !utf8.RuneStart(line[from]) {
			from++
		}
		to = from + wholeRunes(line[from:], to-from)
	}
	var out strings.Builder
	if from > 0 {
		out.WriteString("…")
	}
	appendValid(&out, line[from:to])
	if to < len(line) {
		out.WriteString("…")
	}
	return out.String()
}

// String has a match a line, and at the end what was left out.
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
