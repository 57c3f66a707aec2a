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
	idle, messages := idleThread(t)
	t.Logf("%d bytes a thread of %d messages, which take %d: %.2f", idle, idleMessages, messages, float64(idle)/float64(messages))
	require.LessOrEqual(t, float64(idle)/float64(messages), 1.5)
}

// BenchmarkIdleThread reports the same: x_messages is a thread as a multiple of its messages.
func BenchmarkIdleThread(b *testing.B) {
	var idle, messages int64
	for b.Loop() {
		idle, messages = idleThread(b)
	}
	b.ReportMetric(float64(idle)/float64(messages), "x_messages")
	b.ReportMetric(float64(idle), "B/thread")
}

const idleMessages = 100

// idleThread is what a thread takes and what its messages take, in bytes, when nothing goes on in it.
func idleThread(tb testing.TB) (idle, messages int64) {
	tb.Helper()
	const threads = 200
	store := memory.New()
	before := heap()
	for i := range threads {
		m := &rounds{n: idleMessages/2 - 1, written: func() int64 { return 0 }}
		agent, err := host.New(host.Config{Model: short{m}, Checkpointer: store, Tools: []host.Tool{shortTool()}})
		require.NoError(tb, err)
		result, err := agent.Run(tb.Context(), host.Input{Thread: fmt.Sprint("t", i), Messages: []abi.Message{abi.Human("go")}})
		require.NoError(tb, err)
		require.Equal(tb, idleMessages, result.Messages.Len())
		require.NoError(tb, agent.Close())
	}
	idle = heap() - before

	lists := make([][]abi.Message, threads)
	before = heap()
	for i := range threads {
		held, err := store.Load(tb.Context(), fmt.Sprint("t", i), 0)
		require.NoError(tb, err)
		lists[i] = copied(tb, held.Log.List())
	}
	messages = heap() - before
	runtime.KeepAlive(lists)
	runtime.KeepAlive(store)
	return idle / threads, messages / threads
}

// copied returns messages that share nothing with others.
func copied(tb testing.TB, list history.List) []abi.Message {
	tb.Helper()
	out := make([]abi.Message, list.Len())
	for i := range out {
		m := list.At(i)
		b, err := m.MarshalMsg(nil)
		require.NoError(tb, err)
		_, err = out[i].UnmarshalMsg(b)
		require.NoError(tb, err)
	}
	return out
}
