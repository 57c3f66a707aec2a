package builtin

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/backend"
)

// slowFiles is a tree of files of which one is found, and that then takes for ever.
type slowFiles struct{ backend.Files }

func (slowFiles) Walk(ctx context.Context, _ string, visit func(backend.Info) bool) (stopped bool, err error) {
	visit(backend.Info{Path: "/a", Size: 1})
	<-ctx.Done()
	return false, context.Cause(ctx)
}

func (slowFiles) Open(context.Context, string) (io.ReadCloser, backend.Info, error) {
	return nil, backend.Info{}, &backend.Error{Reason: backend.NotFound}
}

// A search that takes too long ends, and so does one whose run is cancelled.
func TestSearchesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &fileCall{filesystem: &filesystem{}, files: slowFiles{}}
		_, err := c.glob(t.Context(), globArgs{Pattern: "*"})
		require.EqualError(t, err, "glob timed out after 10.0s. Try a more specific pattern or a narrower path.")

		output, err := c.grep(t.Context(), grepArgs{Pattern: "x"})
		require.NoError(t, err)
		require.Equal(t, "No matches found\n\n"+grepStoppedText, output.Content.Text())

		cancelled := errors.New("cancelled")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cancelled)
		_, err = c.glob(ctx, globArgs{Pattern: "*"})
		require.ErrorIs(t, err, cancelled)
		_, err = c.grep(ctx, grepArgs{Pattern: "x"})
		require.ErrorIs(t, err, cancelled)
	})
}
