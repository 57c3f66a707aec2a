package backend

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// sandboxFiles is the files of a [Sandbox]. Concurrent edits through one of them do not overwrite each other.
type sandboxFiles struct {
	executor    Executor
	root        string
	refuseLinks bool
	edits       sync.Mutex
}

var (
	_ Files    = (*sandboxFiles)(nil)
	_ Searcher = (*sandboxFiles)(nil)
)

var errSandboxLine = errors.New("the sandbox describes the file in a way that is not understood")

// Stat describes a file or directory.
func (s *sandboxFiles) Stat(ctx context.Context, name string) (Info, error) {
	output, err := s.do(ctx, name, "", "do_stat")
	if err != nil {
		return Info{}, err
	}
	info, ok := infoLine(name, strings.TrimSuffix(string(output), "\n"))
	if !ok {
		return Info{}, &Error{Path: name, Err: errSandboxLine}
	}
	return info, nil
}

// Open opens a regular file. It is read in pieces of 1 MiB, which are those of the moment in which each is needed.
func (s *sandboxFiles) Open(ctx context.Context, name string) (io.ReadCloser, Info, error) {
	file := &sandboxFile{files: s, ctx: ctx, name: name}
	info, err := file.next()
	if err != nil {
		return nil, Info{}, err
	}
	return file, info, nil
}

// sandboxBlocks is how many blocks are read at once.
const sandboxBlocks = 16

// sandboxFile reads a file in pieces.
type sandboxFile struct {
	files *sandboxFiles
	ctx   context.Context //nolint:containedctx // that of Open, which reading continues; io.Reader has none
	name  string
	block int // the next one
	piece []byte
	last  bool // there is no piece after this one
}

// next reads the next piece.
func (f *sandboxFile) next() (Info, error) {
	output, err := f.files.do(f.ctx, f.name, "", "do_read", strconv.Itoa(f.block), strconv.Itoa(sandboxBlocks))
	if err != nil {
		return Info{}, err
	}
	line, piece, _ := strings.Cut(string(output), "\n")
	info, ok := infoLine(f.name, line)
	if !ok || info.Size < 0 || info.Dir || len(piece) > sandboxBlocks*sandboxBlock {
		return Info{}, &Error{Path: f.name, Err: errSandboxLine}
	}
	f.piece, f.block, f.last = []byte(piece), f.block+sandboxBlocks, len(piece) < sandboxBlocks*sandboxBlock
	return info, nil
}

// Read reads from the present piece or gets the next one.
func (f *sandboxFile) Read(p []byte) (int, error) {
	if len(f.piece) == 0 {
		if f.last {
			return 0, io.EOF
		}
		if _, err := f.next(); err != nil {
			return 0, err
		}
		if len(f.piece) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(p, f.piece)
	f.piece = f.piece[n:]
	return n, nil
}

// Close ends reading.
func (f *sandboxFile) Close() error {
	f.piece, f.last = nil, true
	return nil
}

// List leaves out pipes, sockets and devices, and links that lead outside or nowhere or are not followed.
func (s *sandboxFiles) List(ctx context.Context, dir string) ([]Info, error) {
	output, err := s.do(ctx, dir, "", "do_list", strconv.Itoa(MaxVisited))
	if err != nil {
		return nil, err
	}
	infos, _ := infoLines(dir, output)
	return slices.DeleteFunc(infos, func(i Info) bool { return path.Dir(i.Path) != dir || i.Size < 0 }), nil
}

// infoLines decodes the entries below a directory, sorted, and reports whether the list was cut off. It skips lines that make no
// sense.
func infoLines(dir string, output []byte) (infos []Info, cut bool) {
	for line := range strings.Lines(string(output)) {
		text, whole := strings.CutSuffix(line, "\n")
		if info, ok := infoLine(dir, text); ok && whole && info.Path != dir {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b Info) int { return comparePaths(a.Path, b.Path) })
	infos = slices.CompactFunc(infos, func(a, b Info) bool { return a.Path == b.Path })
	return infos, len(output) >= maxSandboxList
}

// Walk does not follow symbolic links.
func (s *sandboxFiles) Walk(ctx context.Context, dir string, visit func(Info) bool) (stopped bool, err error) {
	return s.visit(ctx, dir, visit, "do_walk", strconv.Itoa(MaxVisited+1))
}

// Search visits the files that contain a text, and those with more than [MaxFile] bytes not at all.
func (s *sandboxFiles) Search(ctx context.Context, dir, text string, visit func(Info) bool) (stopped bool, err error) {
	if strings.ContainsRune(text, 0) || len(text) > sandboxWord { // no argument can have it
		return s.Walk(ctx, dir, visit)
	}
	return s.visit(ctx, dir, visit, "do_search", strconv.Itoa(MaxVisited+1), strconv.Itoa(MaxFile+1), text)
}

// visit visits the files that an operation finds.
func (s *sandboxFiles) visit(ctx context.Context, dir string, visit func(Info) bool, operation string, args ...string) (stopped bool, err error) {
	output, err := s.do(ctx, dir, "", operation, args...)
	if err != nil {
		return false, err
	}
	line, rest, _ := strings.Cut(string(output), "\n")
	top, ok := infoLine(dir, line)
	switch {
	case !ok:
		return false, &Error{Path: dir, Err: errSandboxLine}
	case !top.Dir:
		visit(top)
		return false, nil
	}
	infos, cut := infoLines(dir, []byte(rest))
	for i, info := range infos {
		switch {
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case i == MaxVisited:
			return true, nil
		case info.Dir || info.Size < 0:
			continue
		case !visit(info):
			return false, nil
		}
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return cut, nil
}

// Write replaces a file atomically: a reader sees the old content or the new one. Mode and, if the sandbox permits it, owner of
// the file stay. It refuses symbolic links.
func (s *sandboxFiles) Write(ctx context.Context, name string, content []byte) error {
	if err := writable(name, len(content)); err != nil {
		return err
	}
	s.edits.Lock()
	defer s.edits.Unlock()
	return s.write(ctx, name, content)
}

func (s *sandboxFiles) write(ctx context.Context, name string, content []byte) error {
	packed := base64.StdEncoding.EncodeToString(content)
	var data strings.Builder
	data.WriteString("data() {\n")
	for piece := range slices.Chunk([]byte(packed), sandboxWord) {
		writeCommand(&data, "printf %s", string(piece))
	}
	data.WriteString(":\n}\n")
	_, err := s.do(ctx, name, data.String(), "do_write", ".agenthost-"+rand.Text()+".tmp")
	return err
}

// Edit reads, changes and writes a file.
func (s *sandboxFiles) Edit(ctx context.Context, name string, edit Edit) (int, error) {
	s.edits.Lock()
	defer s.edits.Unlock()
	content, err := ReadFile(ctx, s, name, MaxFile)
	if err != nil {
		return 0, err
	}
	content, n, err := edit.Apply(name, content)
	if err != nil {
		return 0, err
	}
	if err := s.write(ctx, name, content); err != nil {
		return 0, err
	}
	return n, nil
}

// Remove removes a file or directory. It removes a symbolic link itself.
func (s *sandboxFiles) Remove(ctx context.Context, name string) error {
	if name == "/" {
		return &Error{Path: name, Reason: IsRoot}
	}
	s.edits.Lock()
	defer s.edits.Unlock()
	_, err := s.do(ctx, name, "", "do_remove")
	return err
}
