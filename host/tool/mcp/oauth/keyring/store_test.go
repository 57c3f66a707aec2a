package keyring_test

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	ring "github.com/zalando/go-keyring"

	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth/keyring"
)

const key = "https://mcp.example.com/mcp"

// The test cannot use the keyring of the machine, which may ask its user for a password.
func TestLoginsAreInOnePlace(t *testing.T) { //nolint:paralleltest // the keyring is the process's
	dir := t.TempDir()
	store := keyring.Open(oauth.OpenFiles(dir))
	entry := &oauth.Entry{Server: key, AccessToken: "token"}

	ring.MockInitWithError(errors.New("there is no keyring"))
	found, err := store.Load(key)
	require.NoError(t, err)
	require.Nil(t, found)
	require.NoError(t, store.Save(key, entry))
	require.Len(t, list(t, dir), 1, "the login is in a file")
	found, err = store.Load(key)
	require.NoError(t, err)
	require.Equal(t, entry, found)

	ring.MockInit()
	require.NoError(t, store.Save(key, entry))
	require.Empty(t, list(t, dir), "the login is in the keyring")
	found, err = store.Load(key)
	require.NoError(t, err)
	require.Equal(t, entry, found)
	other, err := store.Load(key + "2")
	require.NoError(t, err)
	require.Nil(t, other)
	there, err := store.Delete(key)
	require.NoError(t, err)
	require.True(t, there)
	there, err = store.Delete(key)
	require.NoError(t, err)
	require.False(t, there)

	unlock, err := store.Lock(t.Context(), key)
	require.NoError(t, err)
	unlock()
}

func list(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	return entries
}
