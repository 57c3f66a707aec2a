package builtin

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/internal/filetext"
	"github.com/agenthost/agenthost/internal/text"
)

const (
	// maxSearchTime is how long one search may take.
	maxSearchTime = 30 * time.Second
	// maxMatches is the largest number of matches of one search.
	maxMatches = 100_000
	// maxMatchLine is how much of a matching line is kept, in characters.
	maxMatchLine = 2000
	// maxListChars is the length of the longest result of a search, in characters.
	maxListChars = 80_000
	// truncatedList ends a longer result.
	truncatedList = "... [results truncated, try being more specific with your parameters]"
)

// errSearchTime is the cause of a search's end after maxSearchTime.
var errSearchTime = errors.New("the search took too long")

// lineSearch finds matching lines in files.
type lineSearch struct {
	files   backend.Reader
	include func(info backend.Info) bool
	match   func(ctx context.Context, line []byte) bool
	text    string // every match contains it, or "": the files without it need not be read
	maxFile int64
	most    int // the largest number of matches; 0 means maxMatches
}

// lineMatch is a matching line.
type lineMatch struct {
	path string
	line int // counting from 1
	text string
}

// run searches the files below a directory, in the order of their names. It skips files that are binary, too large or
// unreadable. It stops early at the number of matches, and when it takes too long.
func (s *lineSearch) run(ctx context.Context, dir string) (found []lineMatch, stopped bool, err error) {
	if s.most <= 0 || s.most > maxMatches {
		s.most = maxMatches
	}
	limited, cancel := context.WithTimeoutCause(ctx, maxSearchTime, errSearchTime)
	defer cancel()
	kept := 0
	search := filetext.Search{
		MaxFile: s.maxFile,
		Open: func(ctx context.Context, name string) (io.ReadCloser, error) {
			file, _, err := s.files.Open(ctx, name)
			return file, err
		},
		Line: func(ctx context.Context, name string, number int, line []byte) bool {
			line = bytes.TrimSuffix(line, []byte("\r"))
			if !s.match(ctx, line) {
				return true
			}
			if len(found) == s.most {
				return false
			}
			match := lineMatch{path: name, line: number}
			if kept < 2*maxListChars { // further lines are counted and not shown
				match.text = strings.ToValidUTF8(text.First(string(line), maxMatchLine), "\uFFFD")
				kept += len(match.text)
			}
			found = append(found, match)
			return true
		},
	}
	visit := func(info backend.Info) bool { return !s.include(info) || search.File(limited, info.Path, info.Size) }
	var cut bool
	if s.text == "" {
		cut, err = s.files.Walk(limited, dir, visit)
	} else {
		cut, err = backend.Search(limited, s.files, dir, s.text, visit)
	}
	switch {
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	case limited.Err() != nil:
		return found, true, nil
	case backend.Is(err, backend.NotFound):
		return nil, false, nil
	}
	return found, search.Stopped || cut, err
}

// cutList shortens a result that is too long.
func cutList(list string) string {
	if cut := text.First(list, maxListChars); len(cut) < len(list) {
		return cut + "\n" + truncatedList
	}
	return list
}
