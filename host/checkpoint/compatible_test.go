package checkpoint_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// update writes the fixtures of the present version. Once a version is released its fixtures stay as they are: what was
// stored by it must be read by all that follow.
var update = flag.Bool("update", false, "write the fixtures of this version of the documents")

// shown is what a record says, for people and for comparison.
type shown struct {
	ID, Parent checkpoint.ID
	Time       time.Time
	Source     checkpoint.Source
	Step       string `json:",omitempty"`
	Whole      bool   `json:",omitempty"`
	Changes    []shownChange
	Cursor     history.Cursor
	Messages   int
	State      wire.Map
	Unset      []string            `json:",omitempty"`
	Program    *checkpoint.Program `json:",omitempty"`
	Checkpoint checkpoint.Checkpoint
}

type shownChange struct {
	Seq, Born uint64
	ID        string
	Removed   bool         `json:",omitempty"`
	Message   *abi.Message `json:",omitempty"`
}

func show(r *checkpoint.Record) shown {
	s := shown{
		r.ID, r.Parent, r.Time.UTC(), r.Source, r.Step, r.Whole, nil, r.Cursor, r.Messages, r.State, r.Unset, r.Program, r.Checkpoint,
	}
	for i := range r.Changes {
		ch := &r.Changes[i]
		c := shownChange{ch.Seq, ch.Born, ch.ID, ch.Removed, nil}
		if ch.Entry != nil {
			c.Message = ch.Entry.Message()
		}
		s.Changes = append(s.Changes, c)
	}
	return s
}

// kept is a file that a version has written, and what it says.
type kept struct {
	path string
	doc  []byte
	says string
}

// all are the fixtures of a kind, of all versions.
func all(t testing.TB, kind string) []kept {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "v*", kind+"-*.msgpack"))
	require.NoError(t, err)
	out := make([]kept, len(paths))
	for i, path := range paths {
		doc, err := os.ReadFile(path)
		require.NoError(t, err)
		says, err := os.ReadFile(strings.TrimSuffix(path, ".msgpack") + ".json")
		require.NoError(t, err)
		out[i] = kept{path, doc, string(says)}
	}
	return out
}

// indented is the JSON of something without what is empty, or false, or 0: later versions have fields that earlier ones had
// not.
func indented(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	var parsed any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&parsed))
	text, err = json.MarshalIndent(withoutEmpty(parsed), "", "  ")
	require.NoError(t, err)
	return string(text) + "\n"
}

func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			if value = withoutEmpty(value); value != nil {
				out[key] = value
			}
		}
		if len(out) > 0 {
			return out
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
		if len(v) > 0 {
			return v
		}
	case string:
		if v != "" {
			return v
		}
	case json.Number:
		if v != "0" {
			return v
		}
	case bool:
		if v {
			return v
		}
	}
	return nil
}

// write writes a fixture of this version.
func write(t *testing.T, name string, doc []byte, says any) {
	t.Helper()
	dir := filepath.Join("testdata", fmt.Sprint("v", checkpoint.DocumentVersion))
	require.NoError(t, os.MkdirAll(dir, 0o750))
	name = strings.ReplaceAll(name, " ", "-")
	require.NoError(t, os.WriteFile(filepath.Join(dir, name+".msgpack"), doc, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name+".json"), []byte(indented(t, says)), 0o600))
}

// place is where a fixture stands in its thread, which is not in the document.
func place(t *testing.T, says string) (id, parent checkpoint.ID, at time.Time) {
	t.Helper()
	var s struct {
		ID     checkpoint.ID `json:"ID"`
		Parent checkpoint.ID `json:"Parent"`
		Time   time.Time     `json:"Time"`
	}
	require.NoError(t, json.Unmarshal([]byte(says), &s))
	return s.ID, s.Parent, s.Time
}

// TestRecordsOfAllVersionsAreRead reads what this version and earlier ones have written.
func TestRecordsOfAllVersionsAreRead(t *testing.T) {
	t.Parallel()
	if *update {
		for _, f := range records(t) {
			doc, err := f.record.Encode()
			require.NoError(t, err)
			write(t, fmt.Sprintf("record-%d %s", f.record.ID, f.name), doc, show(&f.record))
		}
	}
	fixtures := all(t, "record")
	require.GreaterOrEqual(t, len(fixtures), len(records(t)))
	var thread []checkpoint.Record
	for _, f := range fixtures {
		id, parent, at := place(t, f.says)
		r, err := checkpoint.DecodeRecord(id, parent, at, f.doc)
		require.NoError(t, err, f.path)
		require.Equal(t, f.says, indented(t, show(r)), f.path)
		if id == 1 {
			thread = nil
		}
		thread = append(thread, *r)
		held, err := checkpoint.Fold(thread)
		require.NoError(t, err, f.path)
		require.Equal(t, r.Messages, held.Log.List().Len(), f.path)
	}
}

// TestThisVersionWritesItsFixtures: a change of what is written needs a version of its own, once it is released.
func TestThisVersionWritesItsFixtures(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", fmt.Sprint("v", checkpoint.DocumentVersion))
	for _, f := range records(t) {
		doc, err := f.record.Encode()
		require.NoError(t, err)
		path := filepath.Join(dir, strings.ReplaceAll(fmt.Sprintf("record-%d %s.msgpack", f.record.ID, f.name), " ", "-"))
		want, err := os.ReadFile(path)
		require.NoError(t, err, "run the test with -update")
		require.Equal(t, want, doc, "%s: documents differ; raise DocumentVersion if a release wrote them", path)
	}
}

// TestJournalsOfAllVersionsAreRead is the same of the notes of executions.
func TestJournalsOfAllVersionsAreRead(t *testing.T) {
	t.Parallel()
	if *update {
		for i, e := range executions() {
			doc, err := e.Encode()
			require.NoError(t, err)
			write(t, fmt.Sprint("execution-", i+1), doc, e)
		}
	}
	fixtures := all(t, "execution")
	require.GreaterOrEqual(t, len(fixtures), len(executions()))
	for _, f := range fixtures {
		e, err := checkpoint.DecodeExecution(f.doc)
		require.NoError(t, err, f.path)
		require.Equal(t, f.says, indented(t, e), f.path)
	}
}
