package sqlite_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// update writes the file of schema 1. Once that is released it stays as it is.
var update = flag.Bool("update", false, "write the database of the first schema")

// The database of the first schema, what its threads hold, and what makes its tables.
const (
	firstSchema = "../../internal/sqlstore/schema/sqlite/001.sql"

	firstFile = "testdata/schema1.db"
	firstSays = "testdata/schema1.json"
)

// held is what a thread holds, for comparison.
type held struct {
	Thread    string          `json:"thread"`
	Head      checkpoint.ID   `json:"head"`
	Messages  []abi.Message   `json:"messages"`
	State     wire.Map        `json:"state"`
	Next      string          `json:"next"`
	Questions []string        `json:"questions"`
	Journal   []string        `json:"journal"`
	History   []checkpoint.ID `json:"history"`
}

// holds is what all threads of a store hold, as JSON.
func holds(t *testing.T, store *sqlite.Store) string {
	t.Helper()
	var all []held
	for info, err := range checkpoint.AllThreads(t.Context(), store, checkpoint.Query{}) {
		require.NoError(t, err)
		require.NoError(t, info.Err)
		thread, err := store.Load(t.Context(), info.Thread, 0)
		require.NoError(t, err)
		h := held{
			Thread: info.Thread, Head: info.Head, Messages: thread.Log.List().Messages(), State: thread.State,
			Next: thread.Record.Checkpoint.Next,
		}
		for i := range thread.Record.Checkpoint.Questions {
			h.Questions = append(h.Questions, thread.Record.Checkpoint.Questions[i].ID)
		}
		for i := range thread.Executions {
			h.Journal = append(h.Journal, thread.Executions[i].CallID)
		}
		for r, err := range checkpoint.All(t.Context(), store, info.Thread) {
			require.NoError(t, err)
			h.History = append(h.History, r.ID)
		}
		all = append(all, h)
	}
	text, err := json.MarshalIndent(all, "", "  ")
	require.NoError(t, err)
	return string(text) + "\n"
}

// asking is an agent whose tool asks, in the second round.
func asking(t *testing.T, store checkpoint.Store, from int) *host.Agent {
	t.Helper()
	script := []scripted.Turn{
		scripted.CallTools(abi.Call("1", "look", nil)), scripted.CallTools(abi.Call("2", "ask", nil), abi.Call("3", "look", nil)), scripted.Say("done"),
	}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(script[from:]...), Checkpointer: store, State: []host.Field{{Name: "looks", Reducer: host.Add()}},
		Clock: func() time.Time { return time.UnixMilli(1_700_000_000_000) }, Seed: func() uint64 { return 42 },
		Tools: []host.Tool{
			tool.Raw(abi.ToolSpec{Name: "look"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				output := host.TextOutput("seen")
				output.Update = &host.Update{State: wire.Map{{Key: "looks", Value: wire.Int(1)}}}
				return output, nil
			}),
			tool.Raw(abi.ToolSpec{Name: "ask"}, func(_ context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
				_, err := rt.Interrupt("may I", wire.String("really?"))
				return host.TextOutput("asked"), err
			}),
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

// TestTheFirstSchemaIsOpened opens a file that the first version has made, whatever has come since, and goes on with a run
// that waits in it.
func TestTheFirstSchemaIsOpened(t *testing.T) {
	t.Parallel()
	if *update {
		writeFirst(t)
	}
	path := filepath.Join(t.TempDir(), "a.db")
	file, err := os.ReadFile(firstFile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, file, 0o600))
	for range 2 { // it is brought to the present schema, and opened as that
		store := open(t, path, sqlite.Options{})
		want, err := os.ReadFile(firstSays)
		require.NoError(t, err)
		require.JSONEq(t, string(want), holds(t, store))
		for state, thread := range map[checkpoint.State]string{checkpoint.Waiting: "waits", checkpoint.Stopped: "forked"} {
			found, err := store.Find(t.Context(), checkpoint.Query{State: state})
			require.NoError(t, err)
			require.Len(t, found, 1)
			require.Equal(t, []any{thread, state}, []any{found[0].Thread, found[0].State})
		}
	}
	store := open(t, path, sqlite.Options{})
	require.NoError(t, store.Rollback(t.Context(), "forked", checkpoint.Root))
	session, err := store.Open(t.Context(), "forked")
	require.NoError(t, err)
	id, err := session.Save(t.Context(), commit(0, 10))
	require.NoError(t, err)
	require.Equal(t, checkpoint.ID(3), id, "its ids are remembered as in a thread of today")
	require.NoError(t, session.Close())
	agent := asking(t, store, 2)
	result, err := agent.Run(t.Context(), host.Input{Thread: "waits", Resume: []host.Answer{{Value: "yes"}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, "done", result.Text())
	require.Equal(t, `{"looks":2}`, result.State.Raw().JSON())
}

// writeFirst makes threads with the present version, and copies them to tables of the first schema.
func writeFirst(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "present.db")
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	result, err := asking(t, store, 0).Run(t.Context(), host.Input{Thread: "waits", Messages: []abi.Message{abi.Human("hi 🙂")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.NoError(t, store.Fork(t.Context(), "waits", 2, "forked"))
	session, err := store.Open(t.Context(), "forked")
	require.NoError(t, err)
	_, err = session.Load(t.Context(), 0)
	require.NoError(t, err)
	require.NoError(t, session.Journal(t.Context(), &checkpoint.Execution{CallID: "1", N: 1, Tool: "look", Started: 1}))
	require.NoError(t, session.Close())
	require.NoError(t, os.MkdirAll("testdata", 0o750))
	require.NoError(t, os.WriteFile(firstSays, []byte(holds(t, store)), 0o600))
	require.NoError(t, store.Close())

	schema, err := os.ReadFile(firstSchema)
	require.NoError(t, err)
	if err := os.Remove(firstFile); !errors.Is(err, os.ErrNotExist) {
		require.NoError(t, err)
	}
	db, err := sql.Open("sqlite", "file:"+firstFile)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		string(schema), "ATTACH DATABASE '" + path + "' AS present",
		"INSERT INTO agenthost_threads SELECT no, name, created, lease, holder, until FROM present.agenthost_threads",
		"INSERT INTO agenthost_checkpoints SELECT no, thread, id, parent, time, doc FROM present.agenthost_checkpoints",
		"INSERT INTO agenthost_journal SELECT * FROM present.agenthost_journal",
		"CREATE TABLE agenthost_schema (version BIGINT NOT NULL)", "INSERT INTO agenthost_schema (version) VALUES (1)",
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	require.NoError(t, db.Close())
}

// TestTheFirstSchemaStaysAsItIs: what leads to the present schema begins with the tables that the first version has made.
func TestTheFirstSchemaStaysAsItIs(t *testing.T) {
	t.Parallel()
	if *update {
		t.Skip("the file is being written")
	}
	statements, err := os.ReadFile(firstSchema)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.db")
	alter(t, path, string(statements))
	want := tables(t, firstFile)
	delete(want, "agenthost_schema")
	require.Equal(t, want, tables(t, path), "if a release has this file, put changes into another one; else run the test with -update")
}

// TestTheVersionOfTheTablesIsDocumented compares the documents with what leads from one version to the next.
func TestTheVersionOfTheTablesIsDocumented(t *testing.T) {
	t.Parallel()
	versions, err := os.ReadFile("../../../docs/versions.md")
	require.NoError(t, err)
	for _, dialect := range []string{"sqlite", "postgres"} {
		steps, err := os.ReadDir("../../internal/sqlstore/schema/" + dialect)
		require.NoError(t, err)
		require.Contains(t, string(versions), fmt.Sprintf("| threads and values: tables | %d |", len(steps)))
	}
}

// tables are the statements that made the tables of a file.
func tables(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	rows, err := db.QueryContext(t.Context(), "SELECT name, sql FROM sqlite_master WHERE type = 'table'")
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	out := map[string]string{}
	for rows.Next() {
		var name, text string
		require.NoError(t, rows.Scan(&name, &text))
		out[name] = text
	}
	require.NoError(t, rows.Err())
	return out
}
