package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// create makes an empty file if there is none, private to its owner, because conversations are not for everybody on the
// machine.
//
// It never opens a file that may be in use: closing it would release all locks that this process holds on it, including those
// of other connections, and another process could then remove the write-ahead log while it is in use. So it creates the file
// under another name and links it.
func create(path string) error {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return errors.New("the path is a directory; name a file in it")
	case err == nil && !info.Mode().IsRegular(): // SQLite would wait for a pipe forever
		return fmt.Errorf("the path is %s; name a regular file", regularfile.Kind(info.Mode()))
	case err == nil:
		return refused("opened", readable(path))
	case !errors.Is(err, os.ErrNotExist):
		return refused("opened", err)
	}
	made, err := os.CreateTemp(filepath.Dir(path), ".agenthost-*") // only its owner may read it
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the file cannot be created: there is no directory %s; create it, or correct the path", filepath.Dir(path))
	}
	if err != nil {
		return refused("created", err)
	}
	defer func() { _ = os.Remove(made.Name()) }() // by now it is linked under its own name
	if err := made.Close(); err != nil {
		return refused("created", err)
	}
	_ = os.Link(made.Name(), path) // another process may have made it meanwhile
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return refused("opened", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // the file system has no links, or the path is a dangling symlink
	if err != nil {
		return refused("created", err)
	}
	return f.Close()
}

// refused returns the error for a file that cannot be opened or made. The caller adds the name of the file.
func refused(what string, err error) error {
	if err == nil {
		return nil
	}
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	}
	err = fmt.Errorf("the file cannot be %s: %w", what, err)
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("%w: %w", checkpoint.ErrReadOnly, err)
	}
	return err
}

// connect makes the first connection, which switches a new file to a write-ahead log. SQLite does not wait for other processes
// that do so at the same time, but fails at once; so connect retries.
func connect(ctx context.Context, db *sql.DB, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		err := db.PingContext(ctx)
		if !errors.Is(classify(err), checkpoint.ErrLocked) {
			return err
		}
		again := time.NewTimer(retry) //nolint:forbidigo // other processes run in real time
		select {
		case <-ctx.Done():
			again.Stop()
			return err
		case <-again.C:
		}
	}
}

// retry is the time between attempts in connect.
const retry = 5 * time.Millisecond
