package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// rounds is how many rounds the run of a talkative agent has.
const rounds = 30

// talkative is an agent whose tool says much in each of many rounds. It counts how often.
func talkative(t *testing.T, store *sqlite.Store, from int, ran *atomic.Int64) *host.Agent {
	t.Helper()
	script := make([]scripted.Turn, 0, rounds+1)
	for i := from; i < rounds; i++ {
		script = append(script, scripted.CallTools(abi.Call(fmt.Sprint("call-", i), "talk", nil)))
	}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(append(script, scripted.Say("done"))...), Checkpointer: store,
		Tools: []host.Tool{tool.Raw(abi.ToolSpec{Name: "talk", Idempotent: true}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
			ran.Add(1)
			return host.TextOutput(strings.Repeat("bla ", 5000)), nil
		})},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

// answered counts the tool messages of a thread.
func answered(messages []abi.Message) (n int) {
	for i := range messages {
		if messages[i].Role == abi.RoleTool {
			n++
		}
	}
	return n
}

// TestARunFillsTheFile runs until the file may not grow any more. The thread holds what was saved until then, and when
// there is room the run goes on.
func TestARunFillsTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	var ran atomic.Int64
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{MaxBytes: 300_000})
	require.NoError(t, err)
	result, err := talkative(t, store, 0, &ran).Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.ErrorIs(t, err, checkpoint.ErrFull)
	require.ErrorContains(t, err, "the database has no space left; free some space, and resume the run (database or disk is full (13))")
	require.Equal(t, host.Failed, result.Status)
	held, err := store.Load(t.Context(), "t", 0)
	require.NoError(t, err, "it may be read")
	saved := answered(held.Log.List().Messages())
	require.Positive(t, saved)
	require.Less(t, saved, rounds)
	require.NotEmpty(t, held.Record.Checkpoint.Next)
	require.ErrorIs(t, write(store, 20, 20_000), checkpoint.ErrFull, "there is still no room")
	again, err := store.Load(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, saved, answered(again.Log.List().Messages()))
	require.NoError(t, store.Close())

	store = open(t, path, sqlite.Options{MaxBytes: 10_000_000})
	asked := 0 // how often the model has said what is kept
	for _, m := range again.Log.List().All() {
		if m.Role == abi.RoleAI {
			asked++
		}
	}
	result, err = talkative(t, store, asked, &ran).Run(t.Context(), host.Input{Thread: "t", Continue: true})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, rounds, answered(result.Messages.Messages()))
	require.LessOrEqual(t, int(ran.Load()), rounds+1, "what was saved does not run again")
}
