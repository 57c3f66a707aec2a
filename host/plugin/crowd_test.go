package plugin_test

import (
	"context"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
)

// waiting is a model for a crowd of runs: each asks for the tool search in ten rounds, and then waits until all may end.
type waiting struct {
	waits chan struct{} // receives one value for each run that waits
	open  chan struct{} // closed to let them end
}

func (*waiting) Info() model.Info { return model.Info{Name: "waiting"} }

func (m *waiting) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	if round := req.Messages.Len() / 2; round < 10 {
		return model.Reply(abi.AI("", abi.Call(strconv.Itoa(round), "search", map[string]any{"q": "x"}))), nil
	}
	m.waits <- struct{}{}
	<-m.open
	return model.Reply(abi.AI("done")), nil
}

// TestMemoryOfARun holds what each run of a crowd takes while it waits for its model, after ten rounds with three plugins. A tool call
// through two of them fits in 16 KiB of stack: a stack doubles when it is full, so one more function with a large frame on that way
// would take 16 KiB more for each run. What else lives as long as the run is mostly its messages.
func TestMemoryOfARun(t *testing.T) { //nolint:paralleltest // it measures the process
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

	errs := make([]error, runs+1)
	var group sync.WaitGroup
	start := func(i int) {
		group.Go(func() { _, errs[i] = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}}) })
		<-m.waits // the next run takes the smaller stacks that this one has left, and the same instances
	}
	start(runs)
	heapBefore, stacksBefore := heap(), stacks()
	collects := debug.SetGCPercent(-1) // a collection may shrink a stack
	for i := range runs {
		start(i)
	}
	stack := (stacks() - stacksBefore) / runs
	debug.SetGCPercent(collects)
	kept := (heap() - heapBefore) / runs
	close(m.open)
	group.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	t.Logf("a run takes %d bytes of stack and %d of the heap", stack, kept)
	require.Less(t, stack, int64(20<<10), "stack")
	require.Less(t, kept, int64(19<<10), "heap")
}

// stacks is how much memory the stacks of all goroutines have, in bytes.
func stacks() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
