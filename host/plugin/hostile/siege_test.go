//go:build linux && !race

package hostile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/hostile"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/host/tool"
)

// The environment of the siege.
const (
	siegeLength = "AGENTHOST_SIEGE"       // how long it lasts, such as 10m; default: 3 seconds
	siegeChild  = "AGENTHOST_SIEGE_CHILD" // set in the process that is besieged
)

const (
	siegeMemory  = 1 << 30   // the most memory that the process may ever use, in bytes
	siegeEngine  = 128 << 20 // of all guests
	siegeWorkers = 4         // agents that run at once
)

// TestSiege lets hostile guests, tools and models act together for a while, in a process of its own. The process must stay below 1 GiB,
// must not crash, and must end every run.
func TestSiege(t *testing.T) { //nolint:paralleltest // it needs the processors for itself
	length := 3 * time.Second
	if text := os.Getenv(siegeLength); text != "" {
		var err error
		length, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	if os.Getenv(siegeChild) != "" {
		besiege(t, length)
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSiege$", "-test.v")
	child.Env = append(os.Environ(), siegeChild+"=1")
	output, err := child.CombinedOutput()
	require.NoError(t, err, "%s", output)
	used, ok := child.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(t, ok)
	peak := used.Maxrss << 10
	require.Less(t, peak, int64(siegeMemory), "%s", output)
	t.Logf("%sat most %d MiB of memory", lastLine(output), peak>>20)
}

// lastLine returns the line in which the child says what it did.
func lastLine(output []byte) string {
	for line := range strings.Lines(string(output)) {
		if at := strings.Index(line, "siege: "); at >= 0 {
			return strings.TrimSpace(line[at:]) + ", "
		}
	}
	return ""
}

func besiege(t *testing.T, length time.Duration) {
	t.Helper()
	engine, err := plugin.NewEngine(plugin.EngineConfig{Memory: siegeEngine})
	require.NoError(t, err)
	corpus := guests()
	until := time.Now().Add(length)
	var mu sync.Mutex
	runs, refused := 0, 0
	var workers sync.WaitGroup
	for worker := range siegeWorkers {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), uint64(time.Now().UnixNano())))
			for time.Now().Before(until) {
				n, err := assault(t.Context(), rng, engine, corpus)
				mu.Lock()
				runs += n
				if err != nil {
					refused++
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	used, limit := engine.Memory()
	require.LessOrEqual(t, used, limit)
	require.NoError(t, engine.Close())
	require.Greater(t, runs, siegeWorkers)
	t.Logf("siege: %d runs, %d agents that were refused", runs, refused)
}

// assault builds an agent with some hostile guests and runs it a few times. The error says that the agent could not be built.
func assault(ctx context.Context, rng *rand.Rand, engine *plugin.Engine, corpus []hostile.Guest) (runs int, err error) {
	config := host.Config{
		Model: &assailant{rng: rng}, Logger: slog.New(slog.DiscardHandler), RecursionLimit: 60,
		Tools:     []host.Tool{hugeTool(), slowTool(), failingTool()},
		ToolCalls: host.ToolCallConfig{MaxLoops: 12, ErrorOnExceedLimit: new(false), ToolTimeout: time.Second},
	}
	for n := range 1 + rng.IntN(3) {
		g := &corpus[rng.IntN(len(corpus))]
		limits := g.Limits
		limits.Deadline = 100 * time.Millisecond
		if limits.HostCalls > 1<<20 {
			limits.HostCalls = 1 << 20
		}
		config.Middleware = append(config.Middleware, plugin.Wasm{
			ID: fmt.Sprint("guest", n), Bytes: g.Module(), Limits: limits, OnFailure: plugin.Open, AcceptOpen: true, Engine: engine,
		})
	}
	config.Middleware = append(config.Middleware, plugin.Wasm{
		ID: "flood", Bytes: flooding(), Engine: engine, Limits: plugin.Limits{Deadline: 200 * time.Millisecond},
		Grant: plugin.Grant{ToolCall: []string{"flood", "huge"}},
	})
	agent, err := host.NewContext(ctx, config)
	if err != nil {
		return 0, err
	}
	for range 3 {
		within, cancel := context.WithTimeout(ctx, 2*time.Second)
		encoder := json.NewEncoder(io.Discard)
		for event, err := range agent.Stream(within, host.Input{Messages: []abi.Message{abi.Human("go")}}) {
			if err == nil {
				_ = encoder.Encode(&event) //nolint:errchkjson // what cannot be encoded is not what this looks for
			}
		}
		cancel()
		runs++
	}
	return runs, agent.Close()
}

// flooding is a plugin whose tool emits events, calls itself and the tool huge, and writes to the state, as much as it can.
func flooding() []byte {
	m := guestkit.New(abi.Description{
		Tools: []abi.ToolSpec{{Name: "flood"}}, Capabilities: []abi.Capability{{Op: abi.OpToolCall, Reason: "to flood"}},
		Fields: []abi.FieldSpec{{Name: "flooded", Lifetime: "run", Reducer: "append"}},
	})
	m.Memory = guestkit.Pages(guestkit.MinPages + 24)
	emit := m.Operate(abi.OpEventEmit, guestkit.Document(&abi.EventEmit{Name: "flood", Data: wire.String(strings.Repeat("e", 300_000))}))
	itself := m.Operate(abi.OpToolCall, guestkit.Document(&abi.ToolRequest{Name: "flood"}))
	huge := m.Operate(abi.OpToolCall, guestkit.Document(&abi.ToolRequest{Name: "huge"}))
	m.On("call_tool", guestkit.Turns(20, 1, emit, guestkit.Drop, itself, guestkit.Drop, huge, guestkit.Drop),
		m.Say(guestkit.MapOf(map[string]any{
			"tool_message": map[string]any{"content": strings.Repeat("a", 200_000)}, "state": map[string]any{"flooded": []any{strings.Repeat("s", 200_000)}},
		})))
	return m.Bytes()
}

func hugeTool() host.Tool {
	content := bytes.Repeat([]byte("huge"), 1<<18)
	return tool.Raw(abi.ToolSpec{Name: "huge"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput(string(content)), nil
	})
}

func slowTool() host.Tool {
	return tool.Raw(abi.ToolSpec{Name: "slow"}, func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
}

func failingTool() host.Tool {
	return tool.Raw(abi.ToolSpec{Name: "fails"}, func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		if len(call.Args) > 100 {
			panic("the tool panics")
		}
		return nil, errors.New(strings.Repeat("it fails\n", 10_000))
	})
}

// assailant is a model that makes as many calls as it can, with arguments that are large, deep, malformed or wrong.
type assailant struct {
	rng *rand.Rand
	mu  sync.Mutex
}

func (*assailant) Info() model.Info { return model.Info{Name: "assailant"} }

func (a *assailant) Generate(context.Context, *model.Request) (*model.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := abi.AI(strings.Repeat("\x1b[2J", a.rng.IntN(50_000)))
	if a.rng.IntN(6) == 0 {
		return model.Reply(answer), nil
	}
	names := []string{"flood", "flood", "flood", "huge", "fails", "slow", "search", "nobody"}
	for n := range 1 + a.rng.IntN(12) {
		call := abi.ToolCall{ID: fmt.Sprint("call-", n%8), Name: names[a.rng.IntN(len(names))]}
		switch a.rng.IntN(6) {
		case 0:
			call.Args = wire.Map{{Key: "large", Value: wire.String(strings.Repeat("x", a.rng.IntN(1<<20)))}}.Raw()
		case 1:
			call.Args = append(bytes.Repeat([]byte{0x81, 0xa1, 'd'}, a.rng.IntN(100)), 0xc0)
		case 2:
			answer.InvalidToolCalls = append(answer.InvalidToolCalls, abi.InvalidToolCall{ID: fmt.Sprint("bad-", n), Name: "flood", Args: "{"})
			continue
		case 3:
			call.Args = wire.Int(7)
		default:
			call.Args = wire.Map(nil).Raw()
		}
		answer.ToolCalls = append(answer.ToolCalls, call)
	}
	return model.Reply(answer), nil
}
