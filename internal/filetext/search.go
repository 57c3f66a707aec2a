package filetext

import (
	"bytes"
	"context"
	"io"
)

// maxSearched is how much of its files one search reads, in bytes.
const maxSearched = 512 << 20

// Search looks at the lines of files, one file after the other. It skips files that are binary, too large or unreadable,
// and counts them.
type Search struct {
	// MaxFile is the size of the largest file to search, in bytes.
	MaxFile int64
	// Open opens a file.
	Open func(ctx context.Context, name string) (io.ReadCloser, error)
	// Line is called with each line, without its \n; number counts from 1. The search ends when it returns false. It must not
	// keep the line.
	Line func(ctx context.Context, name string, number int, line []byte) bool

	Files      int  // files that were searched
	Binary     int  // files that are not text
	TooLarge   int  // files above MaxFile
	Unreadable int  // files that could not be opened or read
	Stopped    bool // the search ended before the last file: because of Line, or because it has read 512 MiB

	read   int64
	buffer bytes.Buffer
}

// File searches a file of the given size. It returns false when the search or the context has ended.
func (s *Search) File(ctx context.Context, name string, size int64) bool {
	if size > s.MaxFile {
		s.TooLarge++
		return true
	}
	content, err := s.load(ctx, name)
	switch {
	case err != nil:
		s.Unreadable++
		return ctx.Err() == nil
	case int64(len(content)) > s.MaxFile: // the file has grown
		s.TooLarge++
		return true
	}
	s.read += int64(len(content))
	if isBinary(content) {
		s.Binary++
		return s.goOn(ctx)
	}
	s.Files++
	for number := 1; len(content) > 0; number++ {
		if ctx.Err() != nil {
			return false
		}
		line, rest, _ := bytes.Cut(content, []byte("\n"))
		content = rest
		if !s.Line(ctx, name, number, line) {
			s.Stopped = true
			return false
		}
	}
	return s.goOn(ctx)
}

// goOn reports whether the search may read another file.
func (s *Search) goOn(ctx context.Context) bool {
	s.Stopped = s.read > maxSearched
	return !s.Stopped && ctx.Err() == nil
}

// load reads a file into the buffer, which the next call reuses.
func (s *Search) load(ctx context.Context, name string) ([]byte, error) {
	file, err := s.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	s.buffer.Reset()
	_, err = s.buffer.ReadFrom(io.LimitReader(file, s.MaxFile+1))
	return s.buffer.Bytes(), err
}
