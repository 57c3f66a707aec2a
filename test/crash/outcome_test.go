//go:build unix

package crash_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
)

// outcome is the final content of a thread.
type outcome struct {
	runs     []runOutcome
	effects  *effects
	branches int // checkpoints that do not lead to the newest one
}

// runOutcome is the content of a thread after one of its runs.
type runOutcome struct {
	run      checkpoint.Run
	messages []abi.Message
	state    map[string]int64
}

// undisturbed performs a plan in this process, without kills.
func undisturbed(t *testing.T, p *plan) *outcome {
	t.Helper()
	store, w := memory.New(), &world{dir: t.TempDir()}
	d := &driver{plan: p, thread: "t", answer: yes}
	require.NoError(t, d.drive(t.Context(), store, w, nil))
	return outcomeOf(t, store, "t", w)
}

// outcomeOf reads the content of a thread.
func outcomeOf(t *testing.T, store checkpoint.Store, thread string, w *world) *outcome {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	effects, err := w.effects()
	require.NoError(t, err)
	out := &outcome{effects: effects}
	next := checkpoint.ID(0)
	var ends []*checkpoint.Record // the newest first
	for r, err := range checkpoint.All(ctx, store, thread) {
		require.NoError(t, err)
		if next != 0 && r.ID != next {
			out.branches++
			continue
		}
		next = r.Parent
		if r.Checkpoint.Next == "" && (len(ends) == 0 || ends[len(ends)-1].Checkpoint.Run.ID != r.Checkpoint.Run.ID) {
			ends = append(ends, r)
		}
	}
	require.Zero(t, next, "the first checkpoint is missing")
	for _, end := range slices.Backward(ends) {
		held, err := store.Load(ctx, thread, end.ID)
		require.NoError(t, err)
		require.Empty(t, held.Executions, "the journal of a run that is over")
		require.Empty(t, held.Record.Checkpoint.Questions)
		require.Empty(t, held.Record.Checkpoint.Finished)
		require.Empty(t, held.Record.Checkpoint.Executions)
		over := runOutcome{run: held.Record.Checkpoint.Run, messages: held.Log.List().Messages(), state: map[string]int64{}}
		for _, p := range held.State {
			over.state[p.Key], _ = p.Value.AsInt()
		}
		out.runs = append(out.runs, over)
	}
	return out
}

// shown returns messages in the form in which they are compared.
func shown(t *testing.T, messages []abi.Message) []string {
	t.Helper()
	out := make([]string, len(messages))
	for i := range messages {
		text, err := json.Marshal(messages[i])
		require.NoError(t, err)
		out[i] = string(text)
	}
	return out
}

// total returns the number of executions.
func (e *effects) total() (n int) {
	for _, times := range e.times {
		n += times
	}
	return n
}
