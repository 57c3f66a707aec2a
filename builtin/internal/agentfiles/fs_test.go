package agentfiles_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin/internal/agentfiles"
)

// sample is a small tree.
func sample() content {
	return content{
		"/notes.txt": "one\ntwo\n", "/src/main.go": "package main\n", "/src/deep/a.go": "package deep\n", "/empty": "",
		"/.hidden": "x", "/windows.txt": "a\r\nb\r\n", "/src/deep-not": "y",
	}
}

func TestReading(t *testing.T) {
	t.Parallel()
	for name, use := range trees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := use(t, sample(), func(ctx context.Context, fsys agentfiles.FS) {
				text, err := agentfiles.ReadFile(ctx, fsys, "/notes.txt", 8)
				require.NoError(t, err)
				require.Equal(t, "one\ntwo\n", string(text))
				_, err = agentfiles.ReadFile(ctx, fsys, "/notes.txt", 7)
				require.EqualError(t, err, "File '/notes.txt' is too large: 8 bytes, the limit is 7")
				text, err = agentfiles.ReadFile(ctx, fsys, "/empty", 7)
				require.NoError(t, err)
				require.Empty(t, text)

				info, err := fsys.Stat(ctx, "/src/deep")
				require.NoError(t, err)
				require.Equal(t, "/src/deep", info.Path)
				require.Equal(t, "deep", info.Name())
				require.True(t, info.Dir)
				info, err = fsys.Stat(ctx, "/notes.txt")
				require.NoError(t, err)
				require.False(t, info.Dir)
				require.EqualValues(t, 8, info.Size)
				require.False(t, info.Modified.IsZero())

				require.Equal(t, "/.hidden /empty /notes.txt /src/ /windows.txt", list(ctx, t, fsys, "/"))
				require.Equal(t, "/src/deep/ /src/deep-not /src/main.go", list(ctx, t, fsys, "/src"))
				require.Equal(t, "/.hidden /empty /notes.txt /src/deep/a.go /src/deep-not /src/main.go /windows.txt", walk(ctx, t, fsys, "/"))
				require.Equal(t, "/src/deep/a.go", walk(ctx, t, fsys, "/src/deep"))
				require.Equal(t, "/notes.txt", walk(ctx, t, fsys, "/notes.txt"))
			})
			require.Equal(t, sample(), after)
		})
	}
}

func TestReadingWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for name, use := range trees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			use(t, sample(), func(ctx context.Context, fsys agentfiles.FS) {
				_, _, err := fsys.Open(ctx, "/none")
				require.EqualError(t, err, "File '/none' not found")
				_, _, err = fsys.Open(ctx, "/src")
				require.EqualError(t, err, "'/src' is a directory, not a file")
				_, _, err = fsys.Open(ctx, "/")
				require.EqualError(t, err, "'/' is a directory, not a file")
				_, err = fsys.Stat(ctx, "/src/deep/none")
				require.True(t, agentfiles.Is(err, agentfiles.NotFound))
				_, err = fsys.List(ctx, "/none")
				require.True(t, agentfiles.Is(err, agentfiles.NotFound))
				_, err = fsys.List(ctx, "/notes.txt")
				require.True(t, agentfiles.Is(err, agentfiles.NotDir))
				_, err = fsys.Walk(ctx, "/none", func(agentfiles.Info) bool { return true })
				require.True(t, agentfiles.Is(err, agentfiles.NotFound))
			})
		})
	}
}

func TestWalkEnds(t *testing.T) {
	t.Parallel()
	for name, use := range trees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			use(t, sample(), func(ctx context.Context, fsys agentfiles.FS) {
				seen := 0
				_, err := fsys.Walk(ctx, "/", func(agentfiles.Info) bool { seen++; return seen < 2 })
				require.NoError(t, err)
				require.Equal(t, 2, seen)
				reason := errors.New("enough")
				ended, cancel := context.WithCancelCause(ctx)
				_, err = fsys.Walk(ended, "/", func(agentfiles.Info) bool { cancel(reason); return true })
				require.ErrorIs(t, err, reason)
			})
		})
	}
}

func TestWriting(t *testing.T) {
	t.Parallel()
	for name, use := range trees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := use(t, sample(), func(ctx context.Context, fsys agentfiles.FS) {
				require.NoError(t, fsys.Write(ctx, "/new/dir/file", []byte("new")))
				require.NoError(t, fsys.Write(ctx, "/notes.txt", nil))
				text, err := agentfiles.ReadFile(ctx, fsys, "/new/dir/file", 100)
				require.NoError(t, err)
				require.Equal(t, "new", string(text), "what was written is read")
				require.NoError(t, fsys.Remove(ctx, "/src"))
				require.NoError(t, fsys.Remove(ctx, "/empty"))
				_, err = fsys.Stat(ctx, "/src")
				require.True(t, agentfiles.Is(err, agentfiles.NotFound))
				require.EqualError(t, fsys.Remove(ctx, "/src"), "File '/src' not found")
				require.EqualError(t, fsys.Remove(ctx, "/"), "The root directory cannot be deleted")
				require.EqualError(t, fsys.Write(ctx, "/", nil), "'/' is a directory, not a file")
				require.EqualError(t, fsys.Write(ctx, "/new", nil), "'/new' is a directory, not a file")
				require.True(t, agentfiles.Is(fsys.Write(ctx, "/notes.txt/x", nil), agentfiles.NotDir))
				require.EqualError(t, fsys.Write(ctx, "/big", make([]byte, agentfiles.MaxFile+1)),
					"File '/big' is too large: 8388609 bytes, the limit is 8388608")
			})
			require.Equal(t, content{
				"/new/dir/file": "new", "/notes.txt": "", "/.hidden": "x", "/windows.txt": "a\r\nb\r\n",
			}, after)
		})
	}
}

func TestEditing(t *testing.T) {
	t.Parallel()
	for title, test := range map[string]struct {
		before string
		edit   agentfiles.Edit
		after  string // "": as before
		n      int
		err    string
	}{
		"once":            {"a b", agentfiles.Edit{Old: "a", New: "c"}, "c b", 1, ""},
		"all":             {"a a", agentfiles.Edit{Old: "a", New: "b", All: true}, "b b", 2, ""},
		"away":            {"abc", agentfiles.Edit{Old: "b"}, "ac", 1, ""},
		"lines of CRLF":   {"a\r\nb\r\nc", agentfiles.Edit{Old: "a\nb", New: "x\ny\nz"}, "x\r\ny\r\nz\r\nc", 1, ""},
		"CRLF as it is":   {"a\r\nb", agentfiles.Edit{Old: "a\r\nb", New: "a\nb"}, "a\nb", 1, ""},
		"overlapping":     {"aaa", agentfiles.Edit{Old: "aa", New: "b"}, "ba", 1, ""},
		"missing":         {"abc", agentfiles.Edit{Old: "x", New: "y"}, "", 0, "String not found in file: 'x'"},
		"empty file":      {"", agentfiles.Edit{Old: "x", New: "y"}, "", 0, "String not found in file: 'x'"},
		"nothing to find": {"abc", agentfiles.Edit{New: "y"}, "", 0, "old_string must not be empty; use write_file to write a whole file"},
		"the same":        {"abc", agentfiles.Edit{Old: "a", New: "a"}, "", 0, "old_string and new_string are the same"},
		"several times": {
			"a a",
			agentfiles.Edit{Old: "a", New: "b"},
			"", 0,
			"String 'a' appears 2 times in file. Use replace_all=True to replace all instances, " +
				"or provide a more specific string with surrounding context.",
		},
		"no line break at the end": {
			"a\nb",
			agentfiles.Edit{Old: "b\n", New: "c\n"},
			"", 0,
			"old_string ends with a newline, but the file does not end with a newline. Retry with the trailing newline " +
				"removed from old_string (and from new_string if it also ends with a newline).",
		},
		"no line break at the end, twice": {
			"b b",
			agentfiles.Edit{Old: "b\n", New: "c\n"},
			"", 0,
			"old_string ends with a newline, but the file does not end with a newline. With the trailing newline removed, " +
				"old_string would appear 2 times in the file. Retry with the trailing newline removed and add surrounding " +
				"context so the match is unique.",
		},
		"binary": {"a\x00b", agentfiles.Edit{Old: "a", New: "b"}, "", 0, "File '/f' is binary and cannot be shown or edited as text"},
		"too much": {
			strings.Repeat("a", 1<<20),
			agentfiles.Edit{Old: "a", New: "123456789", All: true},
			"", 0,
			"File '/f' is too large: 9437184 bytes, the limit is 8388608",
		},
	} {
		for name, use := range trees {
			t.Run(title+"/"+name, func(t *testing.T) {
				t.Parallel()
				after := use(t, content{"/f": test.before}, func(ctx context.Context, fsys agentfiles.FS) {
					n, err := fsys.Edit(ctx, "/f", test.edit)
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
				require.Equal(t, content{"/f": want}, after)
			})
		}
	}
}

func TestEditingSeveralTimes(t *testing.T) {
	t.Parallel()
	for name, use := range trees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := use(t, sample(), func(ctx context.Context, fsys agentfiles.FS) {
				for i, edit := range []agentfiles.Edit{{Old: "one", New: "1"}, {Old: "two", New: "2"}, {Old: "1\n2", New: "3"}} {
					_, err := fsys.Edit(ctx, "/notes.txt", edit)
					require.NoError(t, err, i)
				}
				require.NoError(t, fsys.Write(ctx, "/made", []byte("made")))
				_, err := fsys.Edit(ctx, "/made", agentfiles.Edit{Old: "made", New: "edited"})
				require.NoError(t, err)
				require.NoError(t, fsys.Remove(ctx, "/empty"))
				_, err = fsys.Edit(ctx, "/empty", agentfiles.Edit{Old: "x", New: "y"})
				require.EqualError(t, err, "File '/empty' not found")
				_, err = fsys.Edit(ctx, "/src", agentfiles.Edit{Old: "x", New: "y"})
				require.EqualError(t, err, "'/src' is a directory, not a file")
			})
			require.Equal(t, "3\n", after["/notes.txt"])
			require.Equal(t, "edited", after["/made"])
			require.NotContains(t, after, "/empty")
		})
	}
}

func list(ctx context.Context, t *testing.T, fsys agentfiles.FS, dir string) string {
	t.Helper()
	infos, err := fsys.List(ctx, dir)
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

func walk(ctx context.Context, t *testing.T, fsys agentfiles.FS, dir string) string {
	t.Helper()
	var names []string
	stopped, err := fsys.Walk(ctx, dir, func(info agentfiles.Info) bool {
		require.False(t, info.Dir)
		names = append(names, info.Path)
		return true
	})
	require.NoError(t, err)
	require.False(t, stopped)
	return strings.Join(names, " ")
}
