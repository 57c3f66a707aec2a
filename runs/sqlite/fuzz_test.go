package sqlite_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	threads "github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/runs/runstest"
	"github.com/agenthost/agenthost/runs/sqlite"
)

// FuzzWhatStoresTake gives the same values to stores in memory and in SQLite: both refuse them, or both give them back.
func FuzzWhatStoresTake(f *testing.F) {
	f.Add("ann", "0b7f5a8e-5d3c-4c6e-9a53-0f6f7d1f2c11", "agent", []byte(`{"a": [1, "é"]}`), `{"a": {"b": [1.5, null]}}`, int64(1_700_000_000))
	f.Add("", "a.b:c@d-e_f", "\u00a0\u2028", []byte(` [1e400] `), `{"\ud800": 1e300}`, int64(0))
	f.Add("\xff", "a\x00b", "\x00", []byte("\"\xff\""), `{"a": "\u0000"}`, int64(-1))
	f.Add("'; --", "x", "%_\\", []byte("null"), `{"$": [[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]}`, int64(1)<<40)
	var clock runstest.Clock
	file, err := threads.Open(f.Context(), filepath.Join(f.TempDir(), "agent.db"), threads.Options{})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, file.Close()) })
	store, err := sqlite.Open(f.Context(), file, sqlite.Options{Now: clock.Now})
	require.NoError(f, err)
	stores := []runs.Store{memory.New(memory.Options{Now: clock.Now}), store}
	f.Fuzz(func(t *testing.T, owner, id, text string, document []byte, metadata string, seconds int64) {
		var m runs.Metadata
		if json.Unmarshal([]byte(metadata), &m) != nil {
			m = runs.Metadata{text: metadata}
		}
		v := &values{owner, id, text, document, m, time.Unix(seconds, 0)}
		wanted, got := v.give(t, stores[0]), v.give(t, stores[1])
		require.Equal(t, wanted, got)
	})
}

// values are what a store is to keep.
type values struct {
	owner, id, text string
	document        []byte
	metadata        runs.Metadata
	time            time.Time
}

// given is what a store made of values.
type given struct {
	errs       []string
	threads    []runs.Thread
	assistants []runs.Assistant
	schedules  []runs.Schedule
	runs       []runs.Run
	events     []runs.Event
}

// give gives the values to a store, reads what it keeps, and removes it.
func (v *values) give(t *testing.T, s runs.Store) (g given) {
	t.Helper()
	ctx := t.Context()
	note := func(err error) {
		meaning := ""
		switch {
		case errors.Is(err, runs.ErrInvalidValue), errors.Is(err, runs.ErrBadQuery): // the texts name the values
			meaning = err.Error()
		case errors.Is(err, runs.ErrNoThread), errors.Is(err, runs.ErrNoRun), errors.Is(err, runs.ErrNotClaimed), errors.Is(err, runs.ErrNoAssistant),
			errors.Is(err, runs.ErrNoSchedule):
			meaning = "it is not there"
		default:
			require.NoError(t, err)
		}
		g.errs = append(g.errs, meaning)
	}
	note(s.CreateThread(ctx, &runs.Thread{
		Owner: v.owner, ID: v.id, Metadata: v.metadata, Config: v.document, Agent: v.text, Status: runs.ThreadInterrupted, Stepped: v.time,
		Failure: &runs.Failure{Type: v.text, Message: v.text}, Waiting: []runs.Interrupt{{ID: "i", Step: v.text, Value: v.document}},
	}))
	note(s.CreateAssistant(ctx, &runs.Assistant{
		Owner: v.owner, ID: v.id, Agent: "agent", Name: v.text, Description: v.text, Config: v.document, Context: v.document, Metadata: v.metadata,
	}))
	note(s.CreateSchedule(ctx, &runs.Schedule{
		Owner: v.owner, ID: v.id, Assistant: v.id, Thread: v.id, Cron: v.text, Zone: v.text, Request: v.document, Metadata: v.metadata, End: v.time, Next: v.time,
	}))
	run := &runs.Run{
		Owner: v.owner, ID: v.id, Thread: v.id, Agent: "agent", Assistant: v.text, Task: v.document, Request: v.document, Metadata: v.metadata,
		Webhook: v.text, Due: v.time,
	}
	note(s.Submit(ctx, run, true, 0, func(t *runs.Thread) { t.Config = v.document }))
	w := &runs.Worker{ID: "w", Agents: []string{"agent"}, Lease: time.Hour}
	_, err := s.Claim(ctx, w, 1)
	note(err)
	e := runs.Event{Run: v.id, Seq: runs.FirstSeq(1) + 1, Type: v.text, Data: v.document, Time: v.time}
	note(s.Append(ctx, w, []runs.Event{e}))
	note(s.Finish(ctx, w, &runs.Outcome{
		Run: v.id, Status: runs.Failed, Failure: &runs.Failure{Type: v.text, Message: v.text}, Thread: func(t *runs.Thread) { t.Status, t.Agent = runs.ThreadIdle, v.text },
	}))

	g.threads, _, err = s.FindThreads(ctx, v.owner, &runs.ThreadQuery{Metadata: v.metadata, IDs: []string{v.id}})
	note(err)
	g.assistants, _, err = s.FindAssistants(ctx, v.owner, &runs.AssistantQuery{Name: v.text, Metadata: v.metadata})
	note(err)
	g.schedules, _, err = s.FindSchedules(ctx, v.owner, &runs.ScheduleQuery{Thread: v.id, Metadata: v.metadata})
	note(err)
	g.runs, err = s.FindRuns(ctx, v.owner, v.id, &runs.RunQuery{})
	note(err)
	g.events, err = s.Events(ctx, v.owner, v.id, 0, 0)
	note(err)
	for i := range g.runs {
		g.runs[i].Number = 0 // it may differ
	}
	_ = s.Finish(ctx, w, &runs.Outcome{Run: v.id, Remove: true})
	note(s.DeleteThread(ctx, v.owner, v.id))
	note(s.DeleteAssistant(ctx, v.owner, v.id))
	if err := s.DeleteSchedule(ctx, v.owner, v.id); !errors.Is(err, runs.ErrNoSchedule) { // it may be gone with its assistant
		note(err)
	}
	return g
}
