package registry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/registry"
	"github.com/agenthost/agenthost/test/testservers"
)

// TestDistribution uses the registry that most others are built on. It demands a login, and has no API for referrers.
func TestDistribution(t *testing.T) {
	t.Parallel()
	host := testservers.Distribution(t)
	as := func(password string) *registry.Client {
		return client(t, registry.Options{Login: func(context.Context, string) (string, string, error) {
			return testservers.DistributionUser, password, nil
		}})
	}
	c := as(testservers.DistributionPassword)
	ref := parse(t, host+"/acme/redact:1")
	key := newKey(t)
	large := make([]byte, 12<<20) // as large as a script in Python
	for i := range large {
		large[i] = byte(i >> 8)
	}
	push := func(content []byte, signatures ...[]byte) registry.Pushed {
		t.Helper()
		pushed, err := c.PushPlugin(t.Context(), ref, &registry.Module{Bytes: content, Name: "redact", Version: "1"}, signatures...)
		require.NoError(t, err)
		return pushed
	}
	_, err := as("wrong").PushPlugin(t.Context(), ref, &registry.Module{Bytes: module})
	require.ErrorIs(t, err, registry.ErrUnauthorized)
	_, err = client(t, registry.Options{}).PullPlugin(t.Context(), ref)
	require.ErrorIs(t, err, registry.ErrUnauthorized)
	_, err = c.PullPlugin(t.Context(), ref)
	require.ErrorIs(t, err, registry.ErrNotFound)

	first := push(module, sign(t, key, module, registry.Comment(ref, "redact", "1")))
	pulled, err := c.PullPlugin(t.Context(), ref, key.Public())
	require.NoError(t, err)
	require.Equal(t, module, pulled.Bytes)
	_, err = c.PullPlugin(t.Context(), ref, newKey(t).Public())
	require.ErrorIs(t, err, plugin.ErrSignature)
	second := sign(t, key, module, "by minisign itself")
	push(module, second)

	// The tag moves, and the digest does not.
	now := push(large)
	require.Equal(t, first.Digest, now.Before)
	pulled, err = c.PullPlugin(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, large, pulled.Bytes)
	pulled, err = c.PullPlugin(t.Context(), ref.At(first.Digest), key.Public())
	require.NoError(t, err)
	require.Equal(t, module, pulled.Bytes)
	_, err = c.PullPlugin(t.Context(), ref.At(now.Digest), key.Public())
	require.ErrorIs(t, err, plugin.ErrSignature, "the new module is not signed")

	agent := support()
	agent.Key = &key
	_, err = c.PushAgent(t.Context(), parse(t, host+"/acme/support:1"), agent)
	require.NoError(t, err)
	got, err := c.PullAgent(t.Context(), parse(t, host+"/acme/support:1"), filepath.Join(t.TempDir(), "support"), key.Public())
	require.NoError(t, err)
	require.Len(t, got.Files, 3)

	// A connection that breaks off in the middle of the large module.
	front := &cutter{ReverseProxy: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: host})}
	front.left.Store(1)
	proxy := httptest.NewServer(front)
	t.Cleanup(proxy.Close)
	through := parse(t, strings.TrimPrefix(proxy.URL, "http://")+"/acme/redact:1")
	pulled, err = c.PullPlugin(t.Context(), through)
	require.NoError(t, err)
	require.Equal(t, large, pulled.Bytes)
	require.Zero(t, front.left.Load())
	front.left.Store(100)
	_, err = c.PullPlugin(t.Context(), through)
	require.ErrorContains(t, err, "unexpected EOF")
}

// cutter is a proxy that cuts answers with a part of a module off, as long as some are left.
type cutter struct {
	*httputil.ReverseProxy

	left atomic.Int64
}

func (c *cutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") && r.Header.Get("Authorization") != "" && c.left.Load() > 0 {
		c.left.Add(-1)
		w = &shortWriter{w, 1 << 20}
	}
	c.ReverseProxy.ServeHTTP(w, r)
}

// shortWriter ends the connection after some bytes.
type shortWriter struct {
	http.ResponseWriter

	left int
}

func (s *shortWriter) Write(b []byte) (int, error) {
	if s.left -= len(b); s.left < 0 {
		panic(http.ErrAbortHandler)
	}
	return s.ResponseWriter.Write(b)
}
