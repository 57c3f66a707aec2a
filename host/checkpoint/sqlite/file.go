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
)

// create makes an empty file where there is none: what people say is not for everybody on the machine.
//
// It never opens a file that may be in use: to close it would give up the locks that this process has on it, those of
// other connections too, and another process could take the write-ahead log away from under them. So the file is made
// under another name.
func create(path string) error {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return errors.New("it is a directory; name a file in it")
	case err == nil:
		return refused("opened", readable(path))
	case !errors.Is(err, os.ErrNotExist):
		return refused("opened", err)
	}
	made, err := os.CreateTemp(filepath.Dir(path), ".agenthost-*") // only its owner may read it
	if err != nil {
		return refused("made", err)
	}
	defer func() { _ = os.Remove(made.Name()) }() // it has its name
	if err := made.Close(); err != nil {
		return refused("made", err)
	}
	_ = os.Link(made.Name(), path) // another process may have made it meanwhile
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return refused("opened", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // the file system has no links, or the path is one to nothing
	if err != nil {
		return refused("made", err)
	}
	return f.Close()
}

// refused is the error of a file that the system does not open or make. The name of the file stands before it already.
func refused(what string, err error) error {
	if err == nil {
		return nil
	}
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	}
	err = fmt.Errorf("it cannot be %s: %w", what, err)
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("%w: %w", checkpoint.ErrReadOnly, err)
	}
	return err
}

// connect makes the first connection, which changes a new file to one with a write-ahead log. For that SQLite does not
// wait for others who do so at the same time, but fails at once.
func connect(ctx context.Context, db *sql.DB, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		err := db.PingContext(ctx)
		if !errors.Is(classify(err), checkpoint.ErrLocked) {
			return err
		}
		again := time.NewTimer(retry) //nolint:forbidigo // other processes are waited for in real time
		select {
		case <-ctx.Done():
			again.Stop()
			return err
		case <-again.C:
		}
	}
}

// retry is how long connect waits before it tries again.
const retry = 5 * time.Millisecond
