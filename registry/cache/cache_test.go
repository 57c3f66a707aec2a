package cache_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/registry/cache"
)

func TestModulesByDigest(t *testing.T) {
	t.Parallel()
	c := cache.Open(filepath.Join(t.TempDir(), "new", "plugins"))
	missing := strings.Repeat("0", 64)
	_, err := c.Get(missing)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.False(t, c.Has(missing))

	digest, err := c.Put([]byte("module"))
	require.NoError(t, err)
	require.True(t, c.Has(digest))
	module, err := c.Get(digest)
	require.NoError(t, err)
	require.Equal(t, []byte("module"), module)

	require.NoError(t, os.WriteFile(c.Path(digest), []byte("other"), 0o600))
	_, err = c.Get(digest)
	require.ErrorContains(t, err, "the module has the sha256")
	var wrong *plugin.DigestError
	require.ErrorAs(t, err, &wrong)
	again, err := c.Put([]byte("module"))
	require.NoError(t, err)
	require.Equal(t, digest, again)
	_, err = c.Get(digest)
	require.NoError(t, err, "a damaged file is replaced")
}

func TestSignaturesBySigner(t *testing.T) {
	t.Parallel()
	c := cache.Open(t.TempDir())
	a, err := minisig.Generate()
	require.NoError(t, err)
	b, err := minisig.Generate()
	require.NoError(t, err)
	digest, err := c.Put([]byte("module"))
	require.NoError(t, err)
	require.NoError(t, c.PutSignature(digest, b.Public(), []byte("by b")))

	signature, err := c.Signature(digest, []minisig.Key{a.Public()})
	require.NoError(t, err)
	require.Nil(t, signature)
	signature, err = c.Signature(digest, []minisig.Key{a.Public(), b.Public()})
	require.NoError(t, err)
	require.Equal(t, "by b", string(signature))
}
