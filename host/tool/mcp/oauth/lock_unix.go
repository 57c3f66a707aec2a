//go:build unix

package oauth

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// lockFile waits for a lock that ends with the process that holds it. The file stays, because another process may wait for it.
func lockFile(ctx context.Context, path string) (func(), error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { _ = f.Close() }, nil // which releases the lock
		case errors.Is(err, syscall.EINTR):
			continue
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return nil, errors.Join(err, f.Close())
		}
		if err := pause(ctx, lockPause); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
}

// lockPause is the time between two attempts to get a lock.
const lockPause = 20 * time.Millisecond
