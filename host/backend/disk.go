package backend

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/rootdir"
)

// Disk is a directory of the disk, deepagents' FilesystemBackend in virtual mode. Nothing outside of it can be reached, neither
// by .. nor through symbolic links. Links that stay inside are followed, unless [Options] refuse it; nothing is written through
// them. Pipes, sockets and devices are refused.
type Disk struct {
	Root string // the directory, which must exist
}

// Open opens the directory.
func (d Disk) Open(_ context.Context, _ host.Env, o Options) (*Opened, error) {
	dir, err := OpenDirectory(d.Root, o)
	if err != nil {
		return nil, err
	}
	opened := openedOf(dir)
	opened.Close, opened.IgnoresCase = dir.Close, ignoresCase
	return opened, nil
}

// ignoresCase reports whether the usual disks of the operating system ignore the case of names.
const ignoresCase = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

// Directory is an open directory of the disk. Concurrent edits through one Directory do not overwrite each other.
type Directory struct {
	dir   *rootdir.Dir
	edits sync.Mutex
}

var _ Files = (*Directory)(nil)

// OpenDirectory opens a directory, which the caller must close. The error is that of the operating system.
func OpenDirectory(root string, o Options) (*Directory, error) {
	links := rootdir.FollowInside
	if o.RefuseLinks {
		links = rootdir.RefuseLinks
	}
	d, err := rootdir.Open(root, links)
	if err != nil {
		return nil, err
	}
	return &Directory{dir: d}, nil
}

// Close closes the directory.
func (d *Directory) Close() error { return d.dir.Close() }

// Stat describes a file or directory.
func (d *Directory) Stat(_ context.Context, name string) (Info, error) {
	info, err := d.dir.Stat(onDisk(name))
	if err != nil {
		return Info{}, diskError(name, err)
	}
	return infoOf(name, info), nil
}

// Open opens a regular file.
func (d *Directory) Open(_ context.Context, name string) (io.ReadCloser, Info, error) {
	file, info, err := d.dir.OpenFile(onDisk(name))
	if err != nil {
		return nil, Info{}, diskError(name, err)
	}
	return file, infoOf(name, info), nil
}

// List leaves out pipes, sockets and devices, and links that lead outside or nowhere or are not followed.
func (d *Directory) List(ctx context.Context, dir string) ([]Info, error) {
	entries, err := d.dir.ReadDir(onDisk(dir))
	if err != nil {
		return nil, diskError(dir, err)
	}
	infos := make([]Info, 0, min(len(entries), MaxVisited))
	for _, entry := range entries[:min(len(entries), MaxVisited)] {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		info, err := d.Stat(ctx, path.Join(dir, entry.Name()))
		if err == nil && (info.Dir || info.Size >= 0) {
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// Walk does not follow symbolic links.
func (d *Directory) Walk(ctx context.Context, dir string, visit func(Info) bool) (stopped bool, err error) {
	info, err := d.Stat(ctx, dir)
	switch {
	case err != nil:
		return false, err
	case !info.Dir:
		visit(info)
		return false, nil
	}
	walked, err := d.dir.Walk(ctx, onDisk(dir), func(name string, entry fs.DirEntry) bool {
		if !entry.Type().IsRegular() {
			return true
		}
		info, err := entry.Info()
		return err != nil || visit(infoOf("/"+name, info))
	})
	return walked.Stopped, err
}

// Write replaces a file atomically: a reader sees the old content or the new one. It refuses symbolic links.
func (d *Directory) Write(_ context.Context, name string, content []byte) error {
	if err := writable(name, len(content)); err != nil {
		return err
	}
	d.edits.Lock()
	defer d.edits.Unlock()
	return d.write(name, content)
}

func (d *Directory) write(name string, content []byte) error {
	_, err := d.dir.Write(onDisk(name), content)
	return diskError(name, err)
}

// Edit reads, changes and writes a file.
func (d *Directory) Edit(ctx context.Context, name string, edit Edit) (int, error) {
	d.edits.Lock()
	defer d.edits.Unlock()
	content, err := ReadFile(ctx, d, name, MaxFile)
	if err != nil {
		return 0, err
	}
	content, n, err := edit.Apply(name, content)
	if err != nil {
		return 0, err
	}
	return n, d.write(name, content)
}

// Remove removes a file or directory. It removes a symbolic link itself.
func (d *Directory) Remove(_ context.Context, name string) error {
	if name == "/" {
		return &Error{Path: name, Reason: IsRoot}
	}
	d.edits.Lock()
	defer d.edits.Unlock()
	if _, err := d.dir.Lstat(onDisk(name)); err != nil {
		return diskError(name, err)
	}
	return diskError(name, d.dir.RemoveAll(onDisk(name)))
}

// writable refuses the root and contents that are too large.
func writable(name string, size int) error {
	switch {
	case name == "/":
		return &Error{Path: name, Reason: IsDirectory}
	case size > MaxFile:
		return &Error{Path: name, Reason: TooLarge, Size: int64(size), Limit: MaxFile}
	}
	return nil
}

// onDisk returns the name below the root for a clean path.
func onDisk(name string) string {
	if name == "/" {
		return "."
	}
	return strings.TrimPrefix(name, "/")
}

// infoOf describes a file. The size of a pipe, socket or device is -1.
func infoOf(name string, info fs.FileInfo) Info {
	out := Info{Path: name, Dir: info.IsDir(), Modified: info.ModTime()}
	switch {
	case info.Mode().IsRegular():
		out.Size = info.Size()
	case !out.Dir:
		out.Size = -1
	}
	return out
}

// diskReasons are the reasons of errors of the disk.
var diskReasons = [...]Reason{
	rootdir.Failed:       Failed,
	rootdir.NotFound:     NotFound,
	rootdir.Outside:      Outside,
	rootdir.BadName:      BadPath,
	rootdir.IsDirectory:  IsDirectory,
	rootdir.NotDirectory: NotDir,
	rootdir.NotRegular:   NotRegular,
	rootdir.IsLink:       IsLink,
	rootdir.Linked:       Linked,
	rootdir.Denied:       Denied,
}

// diskError returns an error of the disk as an [*Error] about a path; nil stays nil.
func diskError(name string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*rootdir.Error](err); ok {
		return &Error{Path: name, Reason: diskReasons[e.Reason], Err: e.Err}
	}
	return &Error{Path: name, Reason: Failed, Err: err}
}
