package agentfiles

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/internal/rootdir"
)

// Disk is a directory of the disk. What is in it may be a symbolic link to another place in it; one that leads outside is
// refused. Writers of one Disk do not lose each other's edits.
type Disk struct {
	dir   *rootdir.Dir
	edits sync.Mutex
}

var _ FS = (*Disk)(nil)

// OpenDisk opens a directory. It must be closed.
func OpenDisk(dir string) (*Disk, error) {
	d, err := rootdir.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Disk{dir: d}, nil
}

// Close closes the directory.
func (d *Disk) Close() error { return d.dir.Close() }

// Stat describes what a path leads to.
func (d *Disk) Stat(_ context.Context, name string) (Info, error) {
	info, err := d.dir.Stat(onDisk(name))
	if err != nil {
		return Info{}, diskError(name, err)
	}
	return infoOf(name, info), nil
}

// Open opens a regular file.
func (d *Disk) Open(_ context.Context, name string) (io.ReadCloser, Info, error) {
	file, info, err := d.dir.OpenFile(onDisk(name))
	if err != nil {
		return nil, Info{}, diskError(name, err)
	}
	return file, infoOf(name, info), nil
}

// List leaves out what is neither a file nor a directory, and links that lead outside or nowhere.
func (d *Disk) List(ctx context.Context, dir string) ([]Info, error) {
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
func (d *Disk) Walk(ctx context.Context, dir string, visit func(Info) bool) (stopped bool, err error) {
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

// Write writes so that a reader sees the old content or the new one. A symbolic link is refused.
func (d *Disk) Write(_ context.Context, name string, content []byte) error {
	if err := writable(name, len(content)); err != nil {
		return err
	}
	d.edits.Lock()
	defer d.edits.Unlock()
	return d.write(name, content)
}

func (d *Disk) write(name string, content []byte) error {
	_, err := d.dir.Write(onDisk(name), content)
	return diskError(name, err)
}

// Edit reads, changes and writes a file.
func (d *Disk) Edit(ctx context.Context, name string, edit Edit) (int, error) {
	d.edits.Lock()
	defer d.edits.Unlock()
	content, err := ReadFile(ctx, d, name, MaxFile)
	if err != nil {
		return 0, err
	}
	content, n, err := edit.apply(name, content)
	if err != nil {
		return 0, err
	}
	return n, d.write(name, content)
}

// Remove removes a symbolic link itself.
func (d *Disk) Remove(_ context.Context, name string) error {
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

// Linked reports whether there is a symbolic link on a path, its last part included: what it leads to has another path too.
func (d *Disk) Linked(name string) bool {
	for ; name != "/"; name = path.Dir(name) {
		if info, err := d.dir.Lstat(onDisk(name)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// writable refuses what cannot be a file.
func writable(name string, size int) error {
	switch {
	case name == "/":
		return &Error{Path: name, Reason: IsDirectory}
	case size > MaxFile:
		return &Error{Path: name, Reason: TooLarge, Size: int64(size), Limit: MaxFile}
	}
	return nil
}

// onDisk is the name below the root of a clean path.
func onDisk(name string) string {
	if name == "/" {
		return "."
	}
	return strings.TrimPrefix(name, "/")
}

// infoOf describes a file; one that is neither regular nor a directory has the size -1.
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
