package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
)

func TestATaskIsKeptAndRead(t *testing.T) {
	t.Parallel()
	task := &runs.Task{
		Messages: []abi.Message{abi.Human("hi")}, State: wire.Map{{Key: "note", Value: wire.String("n")}}, Checkpoint: 3,
		Answers: []runs.Answer{{Interrupt: "ask-1", Value: wire.String("yes"), By: "ann"}}, Context: wire.String("c"), RecursionLimit: 7,
		InterruptBefore: []string{"tools"}, InterruptAfter: []string{"*"}, Model: "small",
		ClientTools: []host.ClientTool{{Name: "locate", Description: "d", Parameters: wire.Map{{Key: "type", Value: wire.String("object")}}.Raw()}},
	}
	document, err := task.Document()
	require.NoError(t, err)
	run := &runs.Run{Owner: "ann", ID: "r", Thread: "t", Task: document}
	read, err := runs.TaskOf(run)
	require.NoError(t, err)
	require.Equal(t, task, read)

	in := read.Input(run)
	require.Equal(t, []any{"ann/t", true, run.Seed(), "small", 7}, []any{in.Thread, in.Once, in.Seed, in.Model, in.RecursionLimit})
	require.Equal(t, []host.Answer{{Interrupt: "ask-1", Value: wire.String("yes"), By: "ann"}}, in.Resume)
	require.Equal(t, task.ClientTools, in.ClientTools)
	require.Equal(t, `{"run_id":"r","thread_id":"t"}`, in.Metadata.Raw().JSON())
	require.NotEqual(t, run.Seed(), (&runs.Run{ID: "s"}).Seed())

	for _, text := range []string{``, `[]`, `{"interrupt_befor": ["tools"]}`} {
		_, err := runs.TaskOf(&runs.Run{Task: runs.Document(text)})
		require.ErrorContains(t, err, "the task of the run cannot be read", text)
	}
}

func TestNoTwoThreadsHaveOneName(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, owner := range []string{"", "a", "a/b", "a%2Fb", "%", "/"} {
		for _, thread := range []string{"t", "b", "T"} {
			names[runs.ThreadName(owner, thread)] = true
		}
	}
	require.Len(t, names, 18)
}
