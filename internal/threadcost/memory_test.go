package threadcost_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/history"
)

// heap is what is in use, in bytes.
func heap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// An idle thread in memory, with all of its checkpoints, takes little more than its messages.
func TestAnIdleThreadInMemory(t *testing.T) { //nolint:paralleltest // what others allocate would count
	const threads, perThread = 200, 101
	store := memory.New()
	before := heap()
	for i := range threads {
		m := &rounds{n: 49, written: func() int64 { return 0 }}
		agent, err := host.New(host.Config{Model: short{m}, Checkpointer: store, Tools: []host.Tool{shortTool()}})
		require.NoError(t, err)
		result, err := agent.Run(t.Context(), host.Input{Thread: fmt.Sprint("t", i), Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.Equal(t, perThread-1, result.Messages.Len())
		require.NoError(t, agent.Close())
	}
	idle := heap() - before

	lists := make([][]abi.Message, threads)
	before = heap()
	for i := range threads {
		held, err := store.Load(t.Context(), fmt.Sprint("t", i), 0)
		require.NoError(t, err)
		lists[i] = copied(t, held.Log.List())
	}
	messages := heap() - before
	t.Logf("%d bytes a thread of %d messages, which take %d: %.2f", idle/threads, perThread-1, messages/threads, float64(idle)/float64(messages))
	require.LessOrEqual(t, float64(idle)/float64(messages), 1.5)
	runtime.KeepAlive(lists)
	runtime.KeepAlive(store)
}

// copied returns messages that share nothing with others.
func copied(t *testing.T, list history.List) []abi.Message {
	t.Helper()
	out := make([]abi.Message, list.Len())
	for i := range out {
		m := list.At(i)
		b, err := m.MarshalMsg(nil)
		require.NoError(t, err)
		_, err = out[i].UnmarshalMsg(b)
		require.NoError(t, err)
	}
	return out
}
