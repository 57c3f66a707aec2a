// Package backendtest has the tests that every tree of files must pass.
package backendtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/backend"
)

// Content is that of a tree of files, by path.
type Content map[string]string

// Use runs a function with a tree of files that has this content, and returns the content of the tree then.
type Use func(t *testing.T, files Content, fn func(ctx context.Context, files backend.Files)) Content

// Run tests a tree of files.
func Run(t *testing.T, use Use) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Use){
		"reading": reading, "reading what is not there": missing, "a walk ends": walkEnds, "writing": writing,
		"editing several times": editingAgain, "edits at once": editsAtOnce,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, use)
		})
	}
	editing(t, use)
}

// sample is a small tree.
func sample() Content {
	return Content{
		"/notes.txt": "one\ntwo\n", "/src/main.go": "package main\n", "/src/deep/a.go": "package deep\n", "/empty": "",
		"/.hidden": "x", "/windows.txt": "a\r\nb\r\n", "/src/deep-not": "y",
	}
}

func reading(t *testing.T, use Use) {
	t.Helper()
	after := use(t, sample(), func(ctx context.Context, files backend.Files) {
		text, err := backend.ReadFile(ctx, files, "/notes.txt", 8)
		require.NoError(t, err)
		require.Equal(t, "one\ntwo\n", string(text))
		_, err = backend.ReadFile(ctx, files, "/notes.txt", 7)
		require.EqualError(t, err, "File '/notes.txt' is too large: 8 bytes, the limit is 7")
		text, err = backend.ReadFile(ctx, files, "/empty", 7)
		require.NoError(t, err)
		require.Empty(t, text)

		info, err := files.Stat(ctx, "/src/deep")
		require.NoError(t, err)
		require.Equal(t, "/src/deep", info.Path)
		require.Equal(t, "deep", info.Name())
		require.True(t, info.Dir)
		info, err = files.Stat(ctx, "/notes.txt")
		require.NoError(t, err)
		require.False(t, info.Dir)
		require.EqualValues(t, 8, info.Size)
		require.False(t, info.Modified.IsZero())

		require.Equal(t, "/.hidden /empty /notes.txt /src/ /windows.txt", list(ctx, t, files, "/"))
		require.Equal(t, "/src/deep/ /src/deep-not /src/main.go", list(ctx, t, files, "/src"))
		require.Equal(t, "/.hidden /empty /notes.txt /src/deep/a.go /src/deep-not /src/main.go /windows.txt", walk(ctx, t, files, "/"))
		require.Equal(t, "/src/deep/a.go", walk(ctx, t, files, "/src/deep"))
		require.Equal(t, "/notes.txt", walk(ctx, t, files, "/notes.txt"))
	})
	require.Equal(t, sample(), after)
}

func missing(t *testing.T, use Use) {
	t.Helper()
	use(t, sample(), func(ctx context.Context, files backend.Files) {
		_, _, err := files.Open(ctx, "/none")
		require.EqualError(t, err, "File '/none' not found")
		_, _, err = files.Open(ctx, "/src")
		require.EqualError(t, err, "'/src' is a directory, not a file")
		_, _, err = files.Open(ctx, "/")
		require.EqualError(t, err, "'/' is a directory, not a file")
		_, err = files.Stat(ctx, "/src/deep/none")
		require.True(t, backend.Is(err, backend.NotFound))
		_, err = files.List(ctx, "/none")
		require.True(t, backend.Is(err, backend.NotFound))
		_, err = files.List(ctx, "/notes.txt")
		require.True(t, backend.Is(err, backend.NotDir))
		_, err = files.Walk(ctx, "/none", func(backend.Info) bool { return true })
		require.True(t, backend.Is(err, backend.NotFound))
	})
}

func walkEnds(t *testing.T, use Use) {
	t.Helper()
	use(t, sample(), func(ctx context.Context, files backend.Files) {
		seen := 0
		_, err := files.Walk(ctx, "/", func(backend.Info) bool { seen++; return seen < 2 })
		require.NoError(t, err)
		require.Equal(t, 2, seen)
		reason := errors.New("enough")
		ended, cancel := context.WithCancelCause(ctx)
		_, err = files.Walk(ended, "/", func(backend.Info) bool { cancel(reason); return true })
		require.ErrorIs(t, err, reason)
	})
}

func writing(t *testing.T, use Use) {
	t.Helper()
	after := use(t, sample(), func(ctx context.Context, files backend.Files) {
		require.NoError(t, files.Write(ctx, "/new/dir/file", []byte("new")))
		require.NoError(t, files.Write(ctx, "/notes.txt", nil))
		text, err := backend.ReadFile(ctx, files, "/new/dir/file", 100)
		require.NoError(t, err)
		require.Equal(t, "new", string(text), "what was written is read")
		require.NoError(t, files.Remove(ctx, "/src"))
		require.NoError(t, files.Remove(ctx, "/empty"))
		_, err = files.Stat(ctx, "/src")
		require.True(t, backend.Is(err, backend.NotFound))
		require.EqualError(t, files.Remove(ctx, "/src"), "File '/src' not found")
		require.EqualError(t, files.Remove(ctx, "/"), "The root directory cannot be deleted")
		require.EqualError(t, files.Write(ctx, "/", nil), "'/' is a directory, not a file")
		require.EqualError(t, files.Write(ctx, "/new", nil), "'/new' is a directory, not a file")
		require.True(t, backend.Is(files.Write(ctx, "/notes.txt/x", nil), backend.NotDir))
		require.EqualError(t, files.Write(ctx, "/big", make([]byte, backend.MaxFile+1)),
			"File '/big' is too large: 8388609 bytes, the limit is 8388608")
	})
	require.Equal(t, Content{
		"/new/dir/file": "new", "/notes.txt": "", "/.hidden": "x", "/windows.txt": "a\r\nb\r\n",
	}, after)
}

func editing(t *testing.T, use Use) {
	t.Helper()
	for title, test := range map[string]struct {
		before string
		edit   backend.Edit
		after  string // "": as before
		n      int
		err    string
	}{
		"once":            {"a b", backend.Edit{Old: "a", New: "c"}, "c b", 1, ""},
		"all":             {"a a", backend.Edit{Old: "a", New: "b", All: true}, "b b", 2, ""},
		"away":            {"abc", backend.Edit{Old: "b"}, "ac", 1, ""},
		"lines of CRLF":   {"a\r\nb\r\nc", backend.Edit{Old: "a\nb", New: "x\ny\nz"}, "x\r\ny\r\nz\r\nc", 1, ""},
		"CRLF as it is":   {"a\r\nb", backend.Edit{Old: "a\r\nb", New: "a\nb"}, "a\nb", 1, ""},
		"overlapping":     {"aaa", backend.Edit{Old: "aa", New: "b"}, "ba", 1, ""},
		"missing":         {"abc", backend.Edit{Old: "x", New: "y"}, "", 0, "String not found in file: 'x'"},
		"empty file":      {"", backend.Edit{Old: "x", New: "y"}, "", 0, "String not found in file: 'x'"},
		"nothing to find": {"abc", backend.Edit{New: "y"}, "", 0, "old_string must not be empty; use write_file to write a whole file"},
		"the same":        {"abc", backend.Edit{Old: "a", New: "a"}, "", 0, "old_string and new_string are the same"},
		"several times": {
			"a a",
			backend.Edit{Old: "a", New: "b"},
			"", 0,
			"String 'a' appears 2 times in file. Use replace_all=True to replace all instances, " +
				"or provide a more specific string with surrounding context.",
		},
		"no line break at the end": {
			"a\nb",
			backend.Edit{Old: "b\n", New: "c\n"},
			"", 0,
			"old_string ends with a newline, but the file does not end with a newline. Retry with the trailing newline " +
				"removed from old_string (and from new_string if it also ends with a newline).",
		},
		"no line break at the end, twice": {
			"b b",
			backend.Edit{Old: "b\n", New: "c\n"},
			"", 0,
			"old_string ends with a newline, but the file does not end with a newline. With the trailing newline removed, " +
				"old_string would appear 2 times in the file. Retry with the trailing newline removed and add surrounding " +
				"context so the match is unique.",
		},
		"binary": {"a\x00b", backend.Edit{Old: "a", New: "b"}, "", 0, "File '/f' is binary and cannot be shown or edited as text"},
		"too much": {
			strings.Repeat("a", 1<<20),
			backend.Edit{Old: "a", New: "123456789", All: true},
			"", 0,
			"File '/f' is too large: 9437184 bytes, the limit is 8388608",
		},
	} {
		t.Run("editing "+title, func(t *testing.T) {
			t.Parallel()
			after := use(t, Content{"/f": test.before}, func(ctx context.Context, files backend.Files) {
				n, err := files.Edit(ctx, "/f", test.edit)
				require.Equal(t, test.n, n)
				if test.err != "" {
					require.EqualError(t, err, test.err)
					return
				}
				require.NoError(t, err)
			})
			want := test.after
			if want == "" {
				want = test.before
			}
			require.Equal(t, Content{"/f": want}, after)
		})
	}
}

func editingAgain(t *testing.T, use Use) {
	t.Helper()
	after := use(t, sample(), func(ctx context.Context, files backend.Files) {
		for i, edit := range []backend.Edit{{Old: "one", New: "1"}, {Old: "two", New: "2"}, {Old: "1\n2", New: "3"}} {
			_, err := files.Edit(ctx, "/notes.txt", edit)
			require.NoError(t, err, i)
		}
		require.NoError(t, files.Write(ctx, "/made", []byte("made")))
		_, err := files.Edit(ctx, "/made", backend.Edit{Old: "made", New: "edited"})
		require.NoError(t, err)
		require.NoError(t, files.Remove(ctx, "/empty"))
		_, err = files.Edit(ctx, "/empty", backend.Edit{Old: "x", New: "y"})
		require.EqualError(t, err, "File '/empty' not found")
		_, err = files.Edit(ctx, "/src", backend.Edit{Old: "x", New: "y"})
		require.EqualError(t, err, "'/src' is a directory, not a file")
	})
	require.Equal(t, "3\n", after["/notes.txt"])
	require.Equal(t, "edited", after["/made"])
	require.NotContains(t, after, "/empty")
}

func list(ctx context.Context, t *testing.T, files backend.Files, dir string) string {
	t.Helper()
	infos, err := files.List(ctx, dir)
	require.NoError(t, err)
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Path
		if info.Dir {
			names[i] += "/"
		}
	}
	return strings.Join(names, " ")
}

func walk(ctx context.Context, t *testing.T, files backend.Files, dir string) string {
	t.Helper()
	var names []string
	stopped, err := files.Walk(ctx, dir, func(info backend.Info) bool {
		require.False(t, info.Dir)
		names = append(names, info.Path)
		return true
	})
	require.NoError(t, err)
	require.False(t, stopped)
	return strings.Join(names, " ")
}

// editsAtOnce makes edits of one file at once: none is lost.
func editsAtOnce(t *testing.T, use Use) {
	t.Helper()
	const edits = 20
	var before, want strings.Builder
	for i := range edits {
		fmt.Fprintf(&before, "line %d.\n", i)
		fmt.Fprintf(&want, "edited %d.\n", i)
	}
	after := use(t, Content{"/f": before.String()}, func(ctx context.Context, files backend.Files) {
		var group sync.WaitGroup
		errs := make([]error, edits)
		for i := range edits {
			group.Go(func() {
				_, errs[i] = files.Edit(ctx, "/f", backend.Edit{Old: fmt.Sprintf("line %d.", i), New: fmt.Sprintf("edited %d.", i)})
			})
		}
		group.Wait()
		require.NoError(t, errors.Join(errs...))
	})
	require.Equal(t, Content{"/f": want.String()}, after)
}
