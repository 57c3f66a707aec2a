//go:build !unix

package oauth

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// lockFile waits until it can create the file. A file that is older than a renewal may take was left by a process that died.
func lockFile(ctx context.Context, path string) (func(), error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err == nil {
			return func() { _ = f.Close(); _ = os.Remove(path) }, nil
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > 2*requestTime { //nolint:forbidigo // compared with the file system's clock
			_ = os.Remove(path)
		}
		if err := pause(ctx, lockPause); err != nil {
			return nil, err
		}
	}
}

// lockPause is the time between two attempts to get a lock.
const lockPause = 20 * time.Millisecond
