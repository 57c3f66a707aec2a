package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
)

// written is the file of a store with a thread of some checkpoints, closed.
func written(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.db")
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	require.NoError(t, write(store, 10, 20_000))
	require.NoError(t, store.Close())
	return path
}

// alter changes a file in a way that the store does not.
func alter(t *testing.T, path, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statement, args...)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func TestAFileThatIsNoDatabase(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"text": "what people say\n", "a beginning": "SQLite format 3\x00 and no more", "zeros": string(make([]byte, 8192))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.db")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			require.ErrorIs(t, err, checkpoint.ErrCorrupt)
			require.Regexp(t, `^sqlite ".*/a.db": the stored data cannot be read; restore it from a backup \(.*\)$`, err.Error())
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, text, string(after), "it is somebody else's")
		})
	}
}

func TestAnEmptyFileBecomesADatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, write(open(t, path, sqlite.Options{}), 1, 10))
}

// reads are all ways to read a thread.
func reads(store *sqlite.Store) map[string]error {
	ctx := context.Background()
	_, load := store.Load(ctx, "t", 0)
	_, history := store.History(ctx, "t", 0, 100)
	infos, threads := store.Find(ctx, checkpoint.Query{})
	if threads == nil && len(infos) > 0 {
		threads = infos[0].Err
	}
	return map[string]error{
		"load": load, "history": history, "threads": threads, "fork": store.Fork(ctx, "t", 0, "u"), "write": write(store, 1, 10),
	}
}

// TestRowsThatAreWrong finds what is wrong wherever it is looked at, and nowhere else.
func TestRowsThatAreWrong(t *testing.T) {
	t.Parallel()
	newer, err := wire.MapOf(map[string]any{"v": checkpoint.DocumentVersion + 1, "what": "nobody knows"})
	require.NoError(t, err)
	for name, test := range map[string]struct {
		statement string
		args      []any
		want      map[string]error
		text      string
	}{
		"a document of a newer version": {
			"UPDATE agenthost_checkpoints SET doc = ? WHERE id = 10",
			[]any{[]byte(newer.Raw())},
			map[string]error{
				"load": checkpoint.ErrNewer, "history": checkpoint.ErrNewer, "threads": checkpoint.ErrNewer, "write": checkpoint.ErrNewer,
			},
			"checkpoint 10 has version 2: it was written by a newer version of agenthost; use that version or a later one",
		},
		"a document that is none": {
			"UPDATE agenthost_checkpoints SET doc = x'c1' WHERE id = 10", nil,
			map[string]error{
				"load": checkpoint.ErrCorrupt, "history": checkpoint.ErrCorrupt, "threads": checkpoint.ErrCorrupt, "write": checkpoint.ErrCorrupt,
			},
			"the stored data cannot be read; restore it from a backup: checkpoint 10: ",
		},
		"no document": {
			"UPDATE agenthost_checkpoints SET doc = x'' WHERE id = 10", nil,
			map[string]error{
				"load": checkpoint.ErrCorrupt, "history": checkpoint.ErrCorrupt, "threads": checkpoint.ErrCorrupt, "write": checkpoint.ErrCorrupt,
			},
			"the stored data cannot be read; restore it from a backup: checkpoint 10: ",
		},
		"a checkpoint that is its own parent": {
			"UPDATE agenthost_checkpoints SET parent = id WHERE id = 5", nil,
			map[string]error{
				"load": checkpoint.ErrCorrupt, "history": checkpoint.ErrCorrupt, "fork": checkpoint.ErrCorrupt, "write": checkpoint.ErrCorrupt,
			},
			"the stored data cannot be read; restore it from a backup: ",
		},
		"a checkpoint that is missing": {
			"DELETE FROM agenthost_checkpoints WHERE id = 5", nil,
			map[string]error{"load": checkpoint.ErrCorrupt, "fork": checkpoint.ErrCorrupt, "write": checkpoint.ErrCorrupt},
			"the first checkpoint of the thread is missing",
		},
		"a journal that cannot be read": {
			"INSERT INTO agenthost_journal SELECT thread, MAX(id), 'x', 1, x'c1' FROM agenthost_checkpoints GROUP BY thread", nil,
			map[string]error{"load": checkpoint.ErrCorrupt, "write": checkpoint.ErrCorrupt},
			"the stored data cannot be read; restore it from a backup: the journal: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := written(t)
			alter(t, path, test.statement, test.args...)
			for method, err := range reads(open(t, path, sqlite.Options{})) {
				if test.want[method] == nil {
					require.NoError(t, err, method)
					continue
				}
				require.ErrorIs(t, err, test.want[method], method)
				require.ErrorContains(t, err, test.text)
			}
		})
	}
}

func TestTablesOfANewerVersionAreLeftAlone(t *testing.T) {
	t.Parallel()
	path := written(t)
	alter(t, path, "UPDATE agenthost_schema SET version = 1000")
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	require.ErrorIs(t, err, checkpoint.ErrNewer)
	require.Regexp(t, `^sqlite ".*": its tables have version 1000, and this agenthost supports version \d+: it was written by a newer version of agenthost; use that version or a later one$`,
		err.Error())
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// TestAFileThatIsDamaged changes bytes of a file, a page, or cuts it off. Whatever is asked then, there is an answer or
// an error, and not the end of the process or a wait without end.
func TestAFileThatIsDamaged(t *testing.T) {
	t.Parallel()
	const page = 4096
	good, err := os.ReadFile(written(t))
	require.NoError(t, err)
	draw := rand.New(rand.NewPCG(1, 1))
	damages := []func(b []byte) []byte{
		func(b []byte) []byte { return b[:draw.IntN(len(b))] },
		func(b []byte) []byte {
			at := draw.IntN(len(b)/page) * page
			for i := range page {
				b[at+i] = byte(draw.Uint32())
			}
			return b
		},
		func(b []byte) []byte {
			at := draw.IntN(len(b)/page) * page
			for range 3 {
				b[at+draw.IntN(200)] = byte(draw.Uint32())
			}
			return b
		},
		func(b []byte) []byte {
			for range 20 {
				b[draw.IntN(len(b))] = byte(draw.Uint32())
			}
			return b
		},
	}
	dir := t.TempDir()
	corrupt := 0
	for kind, damage := range damages {
		for n := range 15 {
			path := filepath.Join(dir, fmt.Sprint(kind, "-", n))
			require.NoError(t, os.WriteFile(path, damage(append([]byte(nil), good...)), 0o600))
			store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			found := map[string]error{"open": err}
			if err == nil {
				found = reads(store)
				found["close"] = store.Close()
			}
			for method, err := range found {
				if errors.Is(err, checkpoint.ErrCorrupt) {
					corrupt++
				}
				if err != nil {
					require.NotRegexp(t, "panic|runtime error", err.Error(), method)
				}
			}
		}
	}
	require.Greater(t, corrupt, 60, "hardly anything was damaged")
}
