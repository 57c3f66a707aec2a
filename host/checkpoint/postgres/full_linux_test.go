package postgres_test

import (
	"math/rand/v2"
	"os"
	osuser "os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/test/pgtest"
)

// TestADiskThatIsFull saves until there is no room, and goes on when there is.
func TestADiskThatIsFull(t *testing.T) {
	t.Parallel()
	small := smallDisk(t)
	server := pgtest.Own(t)
	admin := connect(t, server.Address("postgres"))
	exec(t, admin, `CREATE TABLESPACE small LOCATION '`+small+`'`)
	exec(t, admin, "CREATE DATABASE small TABLESPACE small")
	store := open(t, server.Address("small"), postgres.Options{})

	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	saved, draw := checkpoint.ID(0), *rand.New(rand.NewPCG(1, 1))
	one := func() error {
		id, err := session.Save(t.Context(), commit(saved, noise(&draw)))
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
	require.ErrorContains(t, err, "No space left on device")
	held, err := session.Load(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, saved, held.ID)

	require.NoError(t, syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
	require.NoError(t, one())
	require.NoError(t, session.Close())
}

// noise is a text that cannot be made much smaller.
func noise(draw *rand.Rand) string {
	text := make([]byte, 0, 200_000)
	for len(text) < cap(text)-16 {
		text = strconv.AppendUint(text, draw.Uint64(), 36)
	}
	return string(text)
}

// smallDisk is a directory of the server's user with little room in it.
func smallDisk(t *testing.T) string {
	t.Helper()
	server, err := osuser.Lookup("postgres")
	if os.Getuid() != 0 || err != nil {
		t.Skip("only root can mount a small disk for the server")
	}
	base, err := os.MkdirTemp("", "small-") //nolint:usetesting // the test's own directory lets nobody in
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(base)) })
	require.NoError(t, os.Chmod(base, 0o755))
	disk := filepath.Join(base, "disk")
	require.NoError(t, os.Mkdir(disk, 0o755))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=12m"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(disk, 0)) })
	uid, err := strconv.Atoi(server.Uid)
	require.NoError(t, err)
	require.NoError(t, os.Chown(disk, uid, -1))
	return disk
}
