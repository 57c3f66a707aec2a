package filewatch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/filewatch"
)

// folder is a directory with files that a test changes.
type folder struct {
	t   *testing.T
	dir string
}

func (f folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f folder) write(name, text string) {
	f.t.Helper()
	require.NoError(f.t, os.MkdirAll(filepath.Dir(f.path(name)), 0o700))
	require.NoError(f.t, os.WriteFile(f.path(name), []byte(text), 0o600))
}

func (f folder) patterns() []filewatch.Pattern {
	return []filewatch.Pattern{
		filewatch.File(f.path("agenthost.yaml")), {Dir: f.dir, Match: "*.go"}, {Dir: f.path("skills[1]"), Match: "*/SKILL.md"},
	}
}

func TestEachKindOfChangeIsSeen(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(f folder){
		"a file is written":         func(f folder) { f.write("a.go", "package longer") },
		"a file appears":            func(f folder) { f.write("b.go", "package a") },
		"a file vanishes":           func(f folder) { require.NoError(f.t, os.Remove(f.path("a.go"))) },
		"the manifest appears":      func(f folder) { f.write("agenthost.yaml", "name: x") },
		"a skill appears":           func(f folder) { f.write("skills[1]/two/SKILL.md", "text") },
		"a directory vanishes":      func(f folder) { require.NoError(f.t, os.RemoveAll(f.path("skills[1]"))) },
		"everything vanishes":       func(f folder) { require.NoError(f.t, os.RemoveAll(f.dir)) },
		"a directory is moved away": func(f folder) { require.NoError(f.t, os.Rename(f.dir, f.dir+"-moved")) },
		"an editor renames, and keeps time and size": func(f folder) {
			info, err := os.Stat(f.path("a.go"))
			require.NoError(f.t, err)
			f.write("a.go~", "package b")
			require.NoError(f.t, os.Chtimes(f.path("a.go~"), info.ModTime(), info.ModTime()))
			require.NoError(f.t, os.Rename(f.path("a.go~"), f.path("a.go")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := folder{t, filepath.Join(t.TempDir(), "project")}
			f.write("a.go", "package a")
			f.write("skills[1]/one/SKILL.md", "text")
			f.write("other.txt", "text")
			known := filewatch.Take(f.patterns())
			require.Len(t, known, 2)
			f.write("other.txt", "nobody watches this")
			f.write("skills[1]/deep/er/SKILL.md", "too deep")
			require.True(t, known.Equal(filewatch.Take(f.patterns())))
			change(f)
			require.False(t, known.Equal(filewatch.Take(f.patterns())))
		})
	}
}

// awaiting runs Await in a bubble, and returns a function that lets it look once, and what it returns at last.
func awaiting(ctx context.Context, f folder, known filewatch.State) (func(), chan filewatch.State) {
	ticks, result := make(chan time.Time), make(chan filewatch.State, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		state, err := filewatch.Await(ctx, ticks, f.patterns(), known)
		if err == nil {
			result <- state
		}
	}()
	return func() {
		select {
		case ticks <- time.Time{}:
		case <-ended:
		}
		synctest.Wait() // until it has looked
	}, result
}

func TestManyChangesAreOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := folder{t, t.TempDir()}
		f.write("a.go", "package a")
		known := filewatch.Take(f.patterns())
		look, result := awaiting(t.Context(), f, known)
		look()
		look()
		require.Empty(t, result, "nothing has changed")
		for _, text := range []string{"package ab", "package abc", "package abcd"} {
			f.write("a.go", text)
			f.write("b.go", text)
			look()
		}
		require.Empty(t, result, "the files still change")
		look()
		state := <-result
		require.Equal(t, []string{f.path("a.go"), f.path("b.go")}, state.Paths())
		require.EqualValues(t, len("package abcd"), state[f.path("a.go")].Size())
	})
}

func TestAChangeThatIsTakenBackIsNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := folder{t, t.TempDir()}
		f.write("a.go", "package a")
		ctx, cancel := context.WithCancelCause(t.Context())
		known := filewatch.Take(f.patterns())
		look, result := awaiting(ctx, f, known)
		f.write("4913", "an editor tries whether it can write")
		f.write("b.go", "package a")
		look()
		require.NoError(t, os.Remove(f.path("b.go")))
		for range 3 {
			look()
		}
		require.Empty(t, result)
		over := errors.New("over")
		cancel(over)
		_, err := filewatch.Await(ctx, nil, nil, known)
		require.ErrorIs(t, err, over)
	})
}

func TestAChangeDuringABuildStaysAChange(t *testing.T) {
	t.Parallel()
	f := folder{t, t.TempDir()}
	f.write("a.go", "package a")
	before := filewatch.Take(f.patterns())
	f.write("a.go", "package changed")
	f.write("agenthost.yaml", "name: x")
	checked := filewatch.Take(f.patterns()).Since(before)
	require.Equal(t, []string{f.path("a.go"), f.path("agenthost.yaml")}, checked.Paths())
	require.False(t, checked.Equal(filewatch.Take(f.patterns())), "a.go is not what was built")
	require.True(t, filewatch.Take(f.patterns()).Since(filewatch.State{}).Equal(filewatch.Take(f.patterns())))
}
