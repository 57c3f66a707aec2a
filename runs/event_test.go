package runs_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
)

// What a store keeps of an event, with what it knows of the run, is the whole event.
func TestAnEventIsKeptWithoutWhatTheRunSays(t *testing.T) {
	t.Parallel()
	run := &runs.Run{ID: "01a21e7a", Agent: "keeper", Thread: "t1"}
	at := time.Date(2026, 11, 27, 19, 28, 12, 389274000, time.UTC)
	inner, err := wire.Of(map[string]any{"agent": "inner", "event": map[string]any{"type": "step", "thread": "inner"}})
	require.NoError(t, err)
	for _, e := range []host.Event{
		{Type: host.EventToken, Seq: 9, Step: "model", Index: 1, Message: "m", Text: "a"},
		{Type: host.EventRun, Messages: []abi.Message{abi.Human("hi")}},
		{Type: host.EventEnd, Status: host.Completed, Duration: time.Second},
		{Type: host.EventCustom, Name: "agent", Data: inner},
	} {
		e.Run, e.Agent, e.Thread, e.Time = "run-e7a3", run.Agent, "ann/t1", at
		kept, err := runs.NewEvent(run.ID, runs.FirstSeq(1)+1, &e)
		require.NoError(t, err)
		require.NoError(t, kept.Check())
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(kept.Data, &members))
		for _, known := range []string{"type", "time", "agent", "thread"} {
			require.NotContains(t, members, known)
		}

		want := e
		want.Thread = run.Thread // as clients know it
		whole, err := json.Marshal(&want)
		require.NoError(t, err)
		require.JSONEq(t, string(whole), string(kept.Whole(run)))

		want.Agent, want.Thread = "", ""
		got, err := kept.Host()
		require.NoError(t, err)
		require.Equal(t, &want, got)
	}
}

// An event that lacks everything else, or is not an object, has its head.
func TestAnEventWithoutData(t *testing.T) {
	t.Parallel()
	run := &runs.Run{Agent: "keeper", Thread: "t1"}
	for _, data := range []string{"", "{}", "null", "[1]", `"{"`} {
		e := &runs.Event{Run: "r", Seq: runs.FirstSeq(1) + 1, Type: "step", Data: []byte(data)}
		require.JSONEq(t, `{"type":"step","time":"0001-01-01T00:00:00Z","agent":"keeper","thread":"t1"}`, string(e.Whole(run)), data)
	}
	_, err := (&runs.Event{Run: "r", Seq: 1<<32 + 1, Type: "step", Data: []byte("[1]")}).Host()
	require.ErrorContains(t, err, "the event 4294967297 of the run r cannot be read")
}
