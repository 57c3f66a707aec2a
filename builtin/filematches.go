package builtin

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/builtin/internal/agentfiles"
)

const (
	// maxSearchTime is how long one search may take.
	maxSearchTime = 30 * time.Second
	// maxSearched is how much of the files one search reads, in bytes.
	maxSearched = 512 << 20
	// maxMatches is how many matches one search returns.
	maxMatches = 100_000
	// maxMatchLine is how much of a line that matches is kept, in characters.
	maxMatchLine = 2000
	// maxListChars is how long a result of a search may be, in characters.
	maxListChars = 80_000
	// truncatedList ends a result that is longer.
	truncatedList = "... [results truncated, try being more specific with your parameters]"
)

// errSearchTime is the cause of the end of a search that takes too long.
var errSearchTime = errors.New("the search takes too long")

// fileSearch looks for lines in files.
type fileSearch struct {
	files   agentfiles.Reader
	include func(info agentfiles.Info) bool
	match   func(ctx context.Context, line []byte) bool
	maxFile int64
	most    int // matches; 0: as many as there may be
}

// fileMatch is a line that matches.
type fileMatch struct {
	path string
	line int // from 1
	text string
}

// run searches the files below a directory, in the order of their names. Binary files and those that are too large or
// cannot be read are left out. It stops early at the number of matches, and when it takes too long.
func (s *fileSearch) run(ctx context.Context, dir string) (found []fileMatch, stopped bool, err error) {
	if s.most <= 0 || s.most > maxMatches {
		s.most = maxMatches
	}
	limited, cancel := context.WithTimeoutCause(ctx, maxSearchTime, errSearchTime)
	defer cancel()
	var read, kept int
	cut, err := s.files.Walk(limited, dir, func(info agentfiles.Info) bool {
		if info.Size > s.maxFile || !s.include(info) {
			return true
		}
		content, err := agentfiles.ReadFile(limited, s.files, info.Path, s.maxFile)
		if err != nil || agentfiles.IsBinary(content) {
			return limited.Err() == nil
		}
		read += len(content)
		for number := 1; len(content) > 0; number++ {
			if limited.Err() != nil {
				return false
			}
			line, rest, _ := bytes.Cut(content, []byte("\n"))
			content = rest
			line = bytes.TrimSuffix(line, []byte("\r"))
			if !s.match(limited, line) {
				continue
			}
			if len(found) == s.most {
				stopped = true
				return false
			}
			match := fileMatch{path: info.Path, line: number}
			if kept < 2*maxListChars { // the rest is not shown, only counted
				match.text = strings.ToValidUTF8(cutRunes(string(line), maxMatchLine), "\uFFFD")
				kept += len(match.text)
			}
			found = append(found, match)
		}
		stopped = stopped || read > maxSearched
		return !stopped
	})
	switch {
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	case limited.Err() != nil:
		return found, true, nil
	case agentfiles.Is(err, agentfiles.NotFound):
		return nil, false, nil
	}
	return found, stopped || cut, err
}

// shownPath is a path as a line of a result has it: a disk may have names with the ends of lines in them.
func shownPath(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return utf8.RuneError
		}
		return c
	}, name)
}

// cutList shortens a result that is too long.
func cutList(text string) string {
	if cut := cutRunes(text, maxListChars); len(cut) < len(text) {
		return cut + "\n" + truncatedList
	}
	return text
}
