package plugin_test

import (
	"context"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
)

// waiting is a model that asks for the tool search, and then keeps each run waiting until the test lets all of them end.
type waiting struct {
	waits chan struct{} // receives one value for each run that waits
	open  chan struct{} // closed to let them end
}

func (*waiting) Info() model.Info { return model.Info{Name: "waiting"} }

func (m *waiting) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	if last, ok := req.Messages.Last(); ok && last.Role == abi.RoleTool {
		m.waits <- struct{}{}
		<-m.open
		return model.Reply(abi.AI("done")), nil
	}
	return model.Reply(abi.AI("", abi.Call("call-1", "search", map[string]any{"q": "x"}))), nil
}

// TestStackOfARun holds what a crowd of runs takes for its stacks: a tool call through two plugins fits in 16 KiB. The stack of a
// goroutine doubles when it is full, so the next function with a large frame on that way would take 16 KiB more for each run.
func TestStackOfARun(t *testing.T) { //nolint:paralleltest // it measures the process
	if raceDetector {
		t.Skip("the race detector makes frames larger")
	}
	const runs = 200
	m := &waiting{waits: make(chan struct{}), open: make(chan struct{})}
	search := tool.Func("search", "Searches.", func(context.Context, struct {
		Q string `json:"q"`
	},
	) (string, error) {
		return "result", nil
	})
	config := host.Config{Model: m, Tools: []host.Tool{search}}
	for _, id := range []string{"redact", "guard", "loopguard"} {
		path := filepath.Join("..", "..", "plugins", id, id+".wasm")
		config.Middleware = append(config.Middleware, plugin.Wasm{ID: id, Path: path, Engine: compiled})
	}
	agent, err := host.New(config)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()

	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would shrink stacks
	errs := make([]error, runs)
	var group sync.WaitGroup
	start := func(i int) {
		group.Go(func() { _, errs[i] = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}}) })
		<-m.waits // the next run takes the smaller stacks that this one has left
	}
	start(0)
	before := stacks()
	for i := 1; i < runs; i++ {
		start(i)
	}
	took := (stacks() - before) / (runs - 1)
	close(m.open)
	group.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Less(t, took, 20.0*(1<<10), "bytes of stack for each run")
}

// stacks is how much memory the stacks of all goroutines have, in bytes.
func stacks() float64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}
