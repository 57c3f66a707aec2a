package host_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
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

// BenchmarkLoop reports the cost of one model→tool round in runs of 50 rounds.
func BenchmarkLoop(b *testing.B) {
	const n = 50
	for _, bench := range []struct {
		name    string
		hooks   int
		history int
	}{{"bare", 0, 0}, {"five_noop_hooks", 5, 0}, {"history_2000", 0, 2000}} {
		b.Run(bench.name, func(b *testing.B) {
			config := host.Config{Model: newRounds(n), Tools: []host.Tool{searchTool()}}
			for i := range bench.hooks {
				config.Middleware = append(config.Middleware, noop(i))
			}
			agent, err := host.New(config)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { require.NoError(b, agent.Close()) })
			in := host.Input{Messages: []abi.Message{abi.Human("hi")}}
			for i := range bench.history {
				in.Messages = append(in.Messages, abi.Human(fmt.Sprintf("message %d", i)))
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := agent.Run(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/round")
		})
	}
}
