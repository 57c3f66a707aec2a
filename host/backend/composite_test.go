package backend_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
)

// routed returns a tree of four stores.
func routed() backend.Backend {
	return backend.Composite{Default: newStore(), Routes: map[string]backend.Backend{
		"/a/": newStore(), "/a/b/": newStore(), "/d/e": newStore(),
	}}
}

func TestCompositeRoutes(t *testing.T) {
	t.Parallel()
	inA, inB, rest := newStore(), newStore(), newStore()
	files := viewOf(t, open(t, backend.Composite{
		Default: rest, Routes: map[string]backend.Backend{"/a": inA, "/a/b/": inB, "/d/e": newStore()},
	}, host.Env{}))
	for _, name := range []string{"/x", "/ab", "/a/x", "/a/bc", "/a/b/x", "/a/b/deep/x"} {
		require.NoError(t, files.Write(t.Context(), name, []byte(name)))
	}
	for _, test := range []struct {
		of    backend.Backend
		files content
	}{
		{rest, content{"/x": "/x", "/ab": "/ab"}},
		{inA, content{"/x": "/a/x", "/bc": "/a/bc"}},
		{inB, content{"/x": "/a/b/x", "/deep/x": "/a/b/deep/x"}},
	} {
		require.Equal(t, test.files, contentOf(t, viewOf(t, open(t, test.of, host.Env{}))))
	}
	require.Equal(t, "/a/ /ab /d/ /x", list(t.Context(), t, files, "/"))
	require.Equal(t, "/a/b/ /a/bc /a/x", list(t.Context(), t, files, "/a"))
	require.Equal(t, "/d/e/", list(t.Context(), t, files, "/d"), "the directory above a route is only in the tree")
	require.Empty(t, list(t.Context(), t, files, "/d/e"))
	require.Equal(t, "/a/b/deep/x /a/b/x /a/bc /a/x /ab /x", walk(t.Context(), t, files, "/"))
	require.Equal(t, "/a/b/deep/x", walk(t.Context(), t, files, "/a/b/deep"))
	require.Empty(t, walk(t.Context(), t, files, "/d"))
	for _, dir := range []string{"/a", "/a/b", "/d", "/d/e", "/a/b/deep"} {
		info, err := files.Stat(t.Context(), dir)
		require.NoError(t, err)
		require.Equal(t, backend.Info{Path: dir, Dir: true}, info)
		_, _, err = files.Open(t.Context(), dir)
		require.EqualError(t, err, "'"+dir+"' is a directory, not a file")
		require.EqualError(t, files.Write(t.Context(), dir, nil), "'"+dir+"' is a directory, not a file")
		require.EqualError(t, second(files.Edit(t.Context(), dir, backend.Edit{Old: "a", New: "b"})), "'"+dir+"' is a directory, not a file")
	}
	for _, dir := range []string{"/a", "/a/b", "/d", "/d/e"} {
		require.True(t, backend.Is(files.Remove(t.Context(), dir), backend.Mounted), dir)
	}
	require.EqualError(t, files.Remove(t.Context(), "/"), "The root directory cannot be deleted")
	require.EqualError(t, files.Remove(t.Context(), "/a/none"), "File '/a/none' not found", "errors have the path of the tree")
	require.NoError(t, files.Remove(t.Context(), "/a/b/deep"))
	require.Equal(t, "/a/b/x /a/bc /a/x", walk(t.Context(), t, files, "/a"))
}

// What the default has below a route is out of sight.
func TestCompositeHides(t *testing.T) {
	t.Parallel()
	rest := newStore()
	plain := viewOf(t, open(t, rest, host.Env{}))
	for _, name := range []string{"/a/hidden", "/b"} {
		require.NoError(t, plain.Write(t.Context(), name, nil))
	}
	files := viewOf(t, open(t, backend.Composite{Default: rest, Routes: map[string]backend.Backend{"/a/": newStore()}}, host.Env{}))
	require.Equal(t, "/b", walk(t.Context(), t, files, "/"))
	require.Equal(t, "/a/ /b", list(t.Context(), t, files, "/"))
	_, err := files.Stat(t.Context(), "/a/hidden")
	require.True(t, backend.Is(err, backend.NotFound))
}

// A composite holds what one tree would hold.
func TestCompositeIsOneTree(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	rapid.Check(t, func(r *rapid.T) {
		both := [2]backend.View{viewOf(t, open(t, routed(), host.Env{})), viewOf(t, open(t, newStore(), host.Env{}))}
		names := rapid.SampledFrom([]string{"/x", "/a/x", "/a/b/x", "/a/b/c/x", "/a/bc", "/a.x", "/d/x", "/d/e/x", "/d/e.x", "/d/e/f/x"})
		for range rapid.IntRange(1, 20).Draw(r, "steps") {
			name, text := names.Draw(r, "name"), rapid.StringMatching("[ab]{1,3}").Draw(r, "text")
			step := rapid.IntRange(0, 2).Draw(r, "step")
			var errs [2]string
			for i, files := range both {
				var err error
				switch step {
				case 0:
					err = files.Write(ctx, name, []byte(text))
				case 1:
					_, err = files.Edit(ctx, name, backend.Edit{Old: text, New: text + "b"})
				default:
					err = files.Remove(ctx, name)
				}
				if err != nil {
					errs[i] = err.Error()
				}
			}
			require.Equal(r, errs[1], errs[0])
			for _, dir := range []string{"/", "/a", "/a/b", "/d", "/d/e"} {
				require.Equal(r, walk(ctx, r, both[1], dir), walk(ctx, r, both[0], dir), dir)
			}
		}
		require.Equal(r, contentOf(t, both[1]), contentOf(t, both[0]))
	})
}

func TestCompositeWalkEnds(t *testing.T) {
	t.Parallel()
	files := viewOf(t, open(t, routed(), host.Env{}))
	for _, name := range []string{"/a/1", "/a/b/2", "/d/e/3", "/z"} {
		require.NoError(t, files.Write(t.Context(), name, nil))
	}
	for most := 1; most <= 4; most++ {
		var seen []string
		_, err := files.Walk(t.Context(), "/", func(info backend.Info) bool {
			seen = append(seen, info.Path)
			return len(seen) < most
		})
		require.NoError(t, err)
		require.Equal(t, []string{"/a/1", "/a/b/2", "/d/e/3", "/z"}[:most], seen)
	}
}

func TestCompositeRefuses(t *testing.T) {
	t.Parallel()
	for err, c := range map[string]backend.Composite{
		"composite: default is missing":                                      {},
		`the route "a": it must begin with a slash, such as /memories/`:      {Default: newStore(), Routes: map[string]backend.Backend{"a": newStore()}},
		`the route "/": the root belongs to default`:                         {Default: newStore(), Routes: map[string]backend.Backend{"/": newStore()}},
		`the route "/a/../b": Path traversal not allowed`:                    {Default: newStore(), Routes: map[string]backend.Backend{"/a/../b": newStore()}},
		`the route "/a/": the directory has a route already`:                 {Default: newStore(), Routes: map[string]backend.Backend{"/a": newStore(), "/a/": newStore()}},
		`the route "/a": the backend is missing`:                             {Default: newStore(), Routes: map[string]backend.Backend{"/a": nil}},
		`the route "/a": two backends keep their files in the field "files"`: {Default: backend.State{}, Routes: map[string]backend.Backend{"/a": backend.State{}}},
		"artifacts_root: Path traversal not allowed: ../x":                   {Default: newStore(), ArtifactsRoot: "../x"},
	} {
		_, got := c.Open(t.Context(), host.Env{}, backend.Options{})
		require.ErrorContains(t, got, err)
	}
}

// Files of a route in the state get into the state, and those of the disk are closed with the composite.
func TestCompositeOfStateAndDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opened := open(t, backend.Composite{
		Default: backend.Disk{Root: dir}, Routes: map[string]backend.Backend{"/state": backend.State{}}, ArtifactsRoot: "/state/made/",
	}, host.Env{})
	require.Equal(t, "/state/made", opened.Artifacts)
	result := runTools(t, content{"/old": "old"}, map[string]func(context.Context, *host.Runtime, *abi.ToolCall) *host.Update{
		"work": func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) *host.Update {
			view, err := opened.At(rt, call.ID)
			require.NoError(t, err)
			require.Equal(t, "/state/old", walk(ctx, t, view, "/"))
			require.NoError(t, view.Write(ctx, "/state/new", []byte("new")))
			require.NoError(t, view.Write(ctx, "/disk", []byte("disk")))
			return view.Changes()
		},
	}, "work")
	require.Equal(t, content{"/old": "old", "/new": "new"}, entries(t, result))
	require.Equal(t, content{"/disk": "disk"}, onDisk(t, dir))
	require.True(t, strings.HasPrefix(opened.State[0].Name, "files"))
}
