package host_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
)

// rounds is a model that asks for a tool so many times and then answers.
type rounds struct {
	n     int
	calls int
	ask   *model.Response
	done  *model.Response
}

func newRounds(n int) *rounds {
	return &rounds{
		n:    n,
		ask:  model.Reply(abi.AI("", abi.Call("1", "search", map[string]any{"q": "x"}))),
		done: model.Reply(abi.AI("done")),
	}
}

func (m *rounds) Info() model.Info { return model.Info{Name: "rounds"} }

func (m *rounds) Generate(context.Context, *model.Request) (*model.Response, error) {
	m.calls++
	if m.calls%(m.n+1) == 0 {
		return m.done, nil
	}
	return m.ask, nil
}

func searchTool() host.Tool {
	type arguments struct {
		Q string `json:"q"`
	}
	spec := tool.Func("search", "Searches.", func(context.Context, arguments) (string, error) { return "", nil }).Spec()
	output := host.TextOutput("result")
	return tool.Raw(spec, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return output, nil
	})
}

func noop(i int) host.Middleware {
	return host.BeforeModel(fmt.Sprintf("noop%d", i), func(context.Context, *host.Runtime) (*host.Update, error) {
		return nil, nil
	})
}

// BenchmarkLoop reports what one model→tool round costs: the slope between runs of 50 and of 150 rounds, so that what a
// run costs once, such as taking in its history, does not count.
func BenchmarkLoop(b *testing.B) {
	for _, bench := range []struct {
		name    string
		hooks   int
		history int
		keeps   bool
	}{
		{"bare", 0, 0, false},
		{"five_noop_hooks", 5, 0, false},
		{"five_noop_hooks_and_a_thread", 5, 0, true},
		{"history_2000", 0, 2000, false},
		{"history_2000_in_a_thread", 5, 2000, true},
	} {
		b.Run(bench.name, func(b *testing.B) {
			in := host.Input{Messages: []abi.Message{abi.Human("hi")}}
			before := make([]abi.Message, bench.history)
			for i := range before {
				before[i] = abi.Human(fmt.Sprintf("message %d", i))
			}
			var store checkpoint.Store
			if bench.keeps {
				in.Thread, store = "t", newForgetful(b, before)
			} else {
				in.Messages = append(in.Messages, before...)
			}
			short, long := benchAgent(b, 50, bench.hooks, store), benchAgent(b, 150, bench.hooks, store)
			var shortTime, longTime time.Duration
			for b.Loop() {
				shortTime += timed(b, short, in)
				longTime += timed(b, long, in)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(longTime-shortTime)/float64(b.N*100), "ns/round")
		})
	}
}

// forgetful is a store in memory in which every run finds its thread as it was at first.
type forgetful struct {
	checkpoint.Store

	first checkpoint.Commit
}

func newForgetful(tb testing.TB, messages []abi.Message) *forgetful {
	tb.Helper()
	var log history.Log
	log, err := log.Apply(&host.Update{Messages: messages}, &oldIDs{})
	require.NoError(tb, err)
	changes, whole := log.Since(history.Cursor{})
	return &forgetful{first: checkpoint.Commit{Log: log, Record: checkpoint.Record{Changes: changes, Whole: whole, Cursor: log.Cursor()}}}
}

// oldIDs gives ids that no run gives.
type oldIDs struct{ n int }

func (s *oldIDs) New() string {
	s.n++
	return fmt.Sprint("old-", s.n)
}

func (*oldIDs) Take(string) bool { return false }

func (s *forgetful) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	session, err := memory.New().Open(ctx, thread)
	if err != nil {
		return nil, err
	}
	_, err = session.Save(ctx, &s.first)
	return session, err
}

func benchAgent(b testing.TB, rounds, hooks int, store checkpoint.Store) *host.Agent {
	b.Helper()
	config := host.Config{Model: newRounds(rounds), Tools: []host.Tool{searchTool()}, Checkpointer: store}
	for i := range hooks {
		config.Middleware = append(config.Middleware, noop(i))
	}
	agent, err := host.New(config)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, agent.Close()) })
	return agent
}

func timed(b *testing.B, agent *host.Agent, in host.Input) time.Duration {
	b.Helper()
	start := time.Now()
	if _, err := agent.Run(b.Context(), in); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}
