package manifest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
)

// rooted is a middleware with a path.
type rooted struct{ Root string }

func (r *rooted) Name() string { return "rooted" }

func (r *rooted) Hooks(context.Context, host.Env) (*host.Hooks, error) { return &host.Hooks{}, nil }

func (r *rooted) ResolvePaths(resolve func(path string) string) host.Middleware {
	return &rooted{Root: resolve(r.Root)}
}

// Paths of built-in middleware are relative to the manifest, also when it is built again.
func TestPathsOfMiddlewareAreRelativeToTheManifest(t *testing.T) {
	t.Parallel()
	absolute := filepath.Join(t.TempDir(), "data")
	for given, want := range map[string]string{
		"data": filepath.Join("agents", "data"), "../data": "data", ".": "agents", absolute: absolute,
	} {
		m, config := &Manifest{dir: "agents"}, &rooted{given}
		entry := middlewareEntry{builtin: config}
		for range 2 {
			built, ok := entry.build(m).(*entryMiddleware)
			require.True(t, ok)
			require.Equal(t, &rooted{want}, built.Middleware)
		}
		require.Equal(t, given, config.Root)
	}
}
