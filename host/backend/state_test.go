package backend_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
)

// Calls of one batch that change one file all take effect, whichever runs first, and see each other's changes.
func TestStateCallsAtOnce(t *testing.T) {
	t.Parallel()
	state := open(t, backend.State{}, host.Env{})
	first, second := make(chan struct{}), make(chan struct{})
	change := func(wait, done chan struct{}, edit backend.Edit, name string) func(context.Context, *host.Runtime, *abi.ToolCall) *host.Update {
		return func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) *host.Update {
			if wait != nil {
				<-wait
			}
			view, err := state.At(rt, call.ID)
			require.NoError(t, err)
			_, err = view.Edit(ctx, "/f", edit)
			require.NoError(t, err)
			require.NoError(t, view.Write(ctx, name, []byte(name)))
			update := view.Changes()
			if done != nil {
				close(done)
			}
			return update
		}
	}
	result := runTools(t, content{"/f": "a b c"}, map[string]func(context.Context, *host.Runtime, *abi.ToolCall) *host.Update{
		"one":   change(second, nil, backend.Edit{Old: "a", New: "1"}, "/one"),
		"two":   change(first, second, backend.Edit{Old: "b", New: "2"}, "/two"),
		"three": change(nil, first, backend.Edit{Old: "c", New: "3"}, "/three"),
		"four": func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) *host.Update {
			<-second
			view, err := state.At(rt, call.ID)
			require.NoError(t, err)
			_, err = view.Edit(ctx, "/f", backend.Edit{Old: "b", New: "x"})
			require.EqualError(t, err, "String not found in file: 'b'", "another call has replaced it")
			require.Nil(t, view.Changes())
			return nil
		},
	}, "one", "two", "three", "four")
	require.Equal(t, content{"/f": "1 2 3", "/one": "/one", "/two": "/two", "/three": "/three"}, entries(t, result))
}

// A call that runs again does not see what it did the first time, as that is not in the state.
func TestStateOfACallThatRunsAgain(t *testing.T) {
	t.Parallel()
	state := open(t, backend.State{}, host.Env{})
	result := runTools(t, content{"/f": "a"}, map[string]func(context.Context, *host.Runtime, *abi.ToolCall) *host.Update{
		"work": func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (update *host.Update) {
			for range 2 {
				view, err := state.At(rt, call.ID)
				require.NoError(t, err)
				_, err = view.Edit(ctx, "/f", backend.Edit{Old: "a", New: "aa"})
				require.NoError(t, err)
				update = view.Changes()
			}
			state.End(ctx, rt.RunID())
			return update
		},
	}, "work")
	require.Equal(t, content{"/f": "aa"}, entries(t, result))
}

func TestStateKeepsTimesAndBytes(t *testing.T) {
	t.Parallel()
	state := open(t, backend.State{}, host.Env{})
	binary := []byte{0xff, 0, 1}
	result := runTools(t, content{"/old": "a"}, map[string]func(context.Context, *host.Runtime, *abi.ToolCall) *host.Update{
		"work": func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) *host.Update {
			view, err := state.At(rt, call.ID)
			require.NoError(t, err)
			require.NoError(t, view.Write(ctx, "/old", []byte("b")))
			require.NoError(t, view.Write(ctx, "/binary", binary))
			read, err := backend.ReadFile(ctx, view, "/binary", 10)
			require.NoError(t, err)
			require.Equal(t, binary, read)
			return view.Changes()
		},
	}, "work")
	var files map[string]backend.Entry
	require.NoError(t, host.Decode(result.State.Get("files"), &files))
	require.Equal(t, "2024-01-02T03:04:05Z", files["/old"].CreatedAt)
	require.Greater(t, files["/old"].ModifiedAt, files["/old"].CreatedAt)
	require.Equal(t, "utf-8", files["/old"].Encoding)
	require.Equal(t, base64.StdEncoding.EncodeToString(binary), files["/binary"].Content)
	require.Equal(t, "base64", files["/binary"].Encoding)
}

// reduce applies updates of the field one after the other.
func reduce(t require.TestingT, updates ...any) (map[string]backend.Entry, error) {
	var value []byte
	for _, update := range updates {
		raw, err := host.Encode(update)
		require.NoError(t, err)
		if value, err = backend.Field.Reducer.Reduce(value, raw); err != nil {
			return nil, err
		}
	}
	var files map[string]backend.Entry
	require.NoError(t, host.Decode(value, &files))
	return files, nil
}

type m = map[string]any

func TestFieldMerges(t *testing.T) {
	t.Parallel()
	edit := func(old, replacement string) m {
		return m{"edits": []any{m{"old_string": old, "new_string": replacement}}, "modified_at": "later"}
	}
	files, err := reduce(t,
		m{"/a": m{"content": "a"}, "/b": m{"content": "b", "encoding": "utf-8", "created_at": "then", "modified_at": "then"}},
		m{"/a": nil, "/c": m{"content": "//8=", "encoding": "base64"}, "/none": nil},
		m{"/b": edit("b", "B"), "/c": edit("x", "y"), "/gone": edit("x", "y")},
		m{"/b": edit("b", "lost")},
		nil,
	)
	require.NoError(t, err)
	require.Equal(t, map[string]backend.Entry{
		"/b": {Content: "B", Encoding: "utf-8", CreatedAt: "then", ModifiedAt: "later"},
		"/c": {Content: "//8=", Encoding: "base64", ModifiedAt: "later"},
	}, files)
}

// The forms in which clients of deepagents write files.
func TestFieldTakesTexts(t *testing.T) {
	t.Parallel()
	files, err := reduce(t,
		m{"/a": m{"content": "a"}, "/d": "d"},
		m{"notes.md": "text", "/a": "A", "./b//c": m{"content": []any{"one", "two", ""}, "created_at": "then", "modified_at": "later"}, "d": nil},
		m{"notes.md": m{"edits": []any{m{"old_string": "text", "new_string": "more"}}, "modified_at": "now"}},
	)
	require.NoError(t, err)
	require.Equal(t, map[string]backend.Entry{
		"/notes.md": {Content: "more", Encoding: "utf-8", ModifiedAt: "now"}, "/a": {Content: "A", Encoding: "utf-8"},
		"/b/c": {Content: "one\ntwo\n", Encoding: "utf-8", CreatedAt: "then", ModifiedAt: "later"},
	}, files)
}

func TestFieldRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		update any
		err    string
	}{
		{"text", "files must be a map from paths to files, not a value of type string"},
		{m{"/": m{"content": ""}}, `"/" is not a path of a file; write one without .., such as /notes/a.md`},
		{m{".": "x"}, `"." is not a path of a file; write one without .., such as /notes/a.md`},
		{m{"": "x"}, `"" is not a path of a file; write one without .., such as /notes/a.md`},
		{m{"/a/../b": m{"content": ""}}, `"/a/../b" is not a path of a file; write one without .., such as /notes/a.md`},
		{m{"a": "x", "/a": "y"}, `the file "/a" is there twice, under different forms of its path; leave one out`},
		{m{"/a": 7}, `the file "/a" must be null, a text, or a map with content, encoding, created_at and modified_at`},
		{m{"/a": []any{"text"}}, `the file "/a" must be null, a text, or a map with content, encoding, created_at and modified_at`},
		{m{"/a": m{"content": []any{"b", 1}}}, `content of the file "/a" must be a text, not a value of type array`},
		{m{"/a": m{}}, `the file "/a" lacks the key content`},
		{m{"/a": m{"content": 1}}, `content of the file "/a" must be a text, not a value of type integer`},
		{m{"/a": m{"edits": 1}}, `edits of the file "/a" must be a list`},
		{m{"/a": m{"edits": []any{m{"old_string": "a"}}}}, `an edit of the file "/a" must have the texts old_string and new_string`},
		{m{"/a": m{"content": "a", "encoding": "utf-16"}}, `the file "/a" has the unknown encoding "utf-16"; use utf-8 or base64`},
	} {
		_, err := reduce(t, test.update)
		require.EqualError(t, err, test.err)
	}
	updates := make([]any, 9)
	for i := range updates {
		updates[i] = m{fmt.Sprintf("/%d", i): m{"content": string(make([]byte, backend.MaxFile))}}
	}
	_, err := reduce(t, updates...)
	require.ErrorContains(t, err, "all files together would have")
}

func TestStateIsFull(t *testing.T) {
	t.Parallel()
	useState(t, nil, func(ctx context.Context, files backend.Files) {
		var err error
		for i := 0; i < 9 && err == nil; i++ {
			err = files.Write(ctx, fmt.Sprintf("/%d", i), make([]byte, backend.MaxFile))
		}
		require.True(t, backend.Is(err, backend.Full))
		require.ErrorContains(t, err, "File '/6' cannot be written: all files together would have 5872")
		for i := range 6 {
			require.NoError(t, files.Write(ctx, fmt.Sprintf("/%d", i), nil))
		}
	})
}

// Edits of different lines commute: calls of one batch come into the state in the order of the calls, whichever ran first.
func TestFieldEditsCommute(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "lines")
		text, want := "", ""
		updates := make([]any, n)
		for i := range n {
			line, replacement := fmt.Sprintf("<%d>\n", i), rapid.StringMatching(`[a-z\n]{0,5}`).Draw(t, "replacement")
			text, want = text+line, want+replacement
			updates[i] = m{"/f": m{"edits": []any{m{"old_string": line, "new_string": replacement}}, "modified_at": "x"}}
		}
		order := rapid.Permutation(updates).Draw(t, "order")
		files, err := reduce(t, append([]any{m{"/f": m{"content": text}}}, order...)...)
		require.NoError(t, err)
		require.Equal(t, want, files["/f"].Content)
	})
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire")
	err := &backend.Error{Path: "/a", Err: cause}
	require.EqualError(t, err, "'/a' cannot be used: disk on fire")
	require.ErrorIs(t, err, cause)
	require.EqualError(t, &backend.Error{Path: "/a"}, "'/a' cannot be used")
	require.EqualError(t, &backend.Error{Path: "/a", Reason: backend.NotDir}, "'/a' is not below a directory")
	require.EqualError(t, &backend.Error{Path: "/a", Reason: backend.IsLink}, "'/a' is a symbolic link; write to the file itself")
	require.False(t, backend.Is(cause, backend.Failed))
}
