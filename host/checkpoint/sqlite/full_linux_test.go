package sqlite_test

import (
	"context"
	"errors"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
)

func init() { errands["with a limit"] = withALimit } //nolint:gochecknoinits // beside what it belongs to

// withALimit writes until the process may not make a file any larger, and reads what there is.
func withALimit(path string) []error {
	signal.Ignore(syscall.SIGXFSZ)
	store, err := sqlite.Open(context.Background(), path, sqlite.Options{Lease: 3 * time.Second})
	if err != nil {
		return []error{err}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 300_000, Max: 300_000}); err != nil {
		return []error{err}
	}
	full := write(store, 100, 20_000)
	_, err = newest(store)
	return []error{full, err, store.Close()}
}

// TestALimitOfTheProcess is what ulimit -f sets.
func TestALimitOfTheProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	met := child(t, "with a limit", path)
	require.Len(t, met, 3)
	require.Equal(t, "ErrFull", met[0].Is)
	require.Contains(t, met[0].Text, "the database has no space left; free some space, and resume the run (disk I/O error")
	require.Empty(t, met[1].Text)
	require.Empty(t, met[2].Text)

	store := open(t, path, sqlite.Options{})
	before, err := newest(store)
	require.NoError(t, err)
	require.Positive(t, before)
	require.Eventually(t, func() bool { // without space, the lease may not have been released, but it ends
		err = write(store, 100, 20_000)
		return !errors.Is(err, checkpoint.ErrBusy)
	}, 10*time.Second, 50*time.Millisecond)
	require.NoError(t, err)
	after, err := newest(store)
	require.NoError(t, err)
	require.Equal(t, before+100, after)
}

// TestADiskThatIsFull writes until there is no room, and goes on when there is.
func TestADiskThatIsFull(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(disk, 0)) })
	path := filepath.Join(disk, "a.db")
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	saved := checkpoint.ID(0)
	one := func() error {
		id, err := session.Save(t.Context(), commit(saved, 20_000))
		if err == nil {
			saved = id
		}
		return err
	}
	for err == nil {
		require.Less(t, int(saved), 1000)
		err = one()
	}
	require.ErrorIs(t, err, checkpoint.ErrFull)
	require.ErrorContains(t, err, "the database has no space left; free some space, and resume the run (database or disk is full (13))")
	err = nil
	for n := 1; err == nil; n++ { // a few of these may fit where a checkpoint does not
		require.Less(t, n, 100)
		err = session.Journal(t.Context(), &checkpoint.Execution{CallID: "1", N: n})
	}
	require.ErrorIs(t, err, checkpoint.ErrFull)
	held, err := session.Load(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, saved, held.ID)

	_, err = sqlite.Open(t.Context(), filepath.Join(disk, "new.db"), sqlite.Options{})
	require.ErrorIs(t, err, checkpoint.ErrFull)

	require.NoError(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=8m"))
	require.NoError(t, one())
	require.NoError(t, session.Close())
	require.NoError(t, store.Close())
	require.NoError(t, write(open(t, filepath.Join(disk, "new.db"), sqlite.Options{}), 1, 10), "whatever was made of it")
	store, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	id, err := newest(store)
	require.NoError(t, err)
	require.Equal(t, saved, id)
	require.NoError(t, store.Close())
}
