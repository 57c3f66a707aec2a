package plugin_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
)

// frozen is a module that was built for version 1.0 of the ABI, and what it does in a thread of two runs. Neither changes while there are
// hosts of version 1.
type frozen struct {
	module string
	config map[string]any
	answer any      // to its question in each run; nil: it asks none
	leaves []string // what stands in the state or the messages at the end
}

func frozenModules() []frozen {
	const chars = `"chars":102` // those of the last message before and of new ones after each call of the model
	return []frozen{
		{"bench.tinygo.wasm", nil, nil, []string{chars}},
		{"bench.rust.wasm", nil, nil, []string{chars}},
		{"parity.tinygo.wasm", nil, nil, []string{
			`"count":11`, `"mode":"done"`, `"from 1 items 2 patch 0 remove 0 of 3 reset false"`, `"from 0 items 2 patch 0 remove 0 of 2 reset true"`,
		}},
		{"logbook.c.wasm", map[string]any{"confirm": true, "set_args": map[string]any{"limit": 80}}, true, []string{
			`"logbook/confirmed":true`, `"logbook/messages":5`, `"meta":{"logbook":{"at":1700000000000000000,`,
			`"found {\"limit\":50,\"q\":\"tides\"}\n(at most 50)"`, `"High at noon.\n-- logbook"`, `"Low at six.\n-- logbook"`,
		}},
	}
}

// TestModulesOfVersion10Run loads modules that compilers made for version 1.0, and compares what they do with what they did then.
func TestModulesOfVersion10Run(t *testing.T) {
	t.Parallel()
	modules := frozenModules()
	files, err := filepath.Glob("../../abi/testdata/v1.0/*.wasm")
	require.NoError(t, err)
	require.Len(t, modules, len(files), "each module of the directory is run")
	for _, m := range modules {
		t.Run(m.module, func(t *testing.T) {
			t.Parallel()
			result := m.run(t)
			left := result.State.Raw().JSON()
			for i := range result.Messages.Len() {
				left += "\n" + wire.Raw(result.Messages.Entry(i).Encoded()).JSON()
			}
			for _, text := range m.leaves {
				require.Contains(t, left, text)
			}
		})
	}
}

// run makes two runs in one thread, and answers what the module asks.
func (m *frozen) run(t *testing.T) *host.Result {
	t.Helper()
	code, err := os.ReadFile("../../abi/testdata/v1.0/" + m.module)
	require.NoError(t, err)
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("c1", "search", map[string]any{"q": "tides"})), scripted.Say("High at noon."), scripted.Say("Low at six."),
		),
		Tools: []host.Tool{searchTool()}, Middleware: []host.Middleware{plugin.Wasm{Bytes: code, Config: m.config, Engine: compiled}},
		Seed: func() uint64 { return 7 }, Checkpointer: memory.New(), Clock: func() time.Time { return time.Unix(1_700_000_000, 0) },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	var result *host.Result
	for _, text := range []string{"tides?", "and low water?"} {
		result, err = agent.Run(t.Context(), host.Input{Thread: "t1", Messages: []abi.Message{abi.Human(text)}})
		require.NoError(t, err)
		if m.answer == nil {
			require.Equal(t, host.Completed, result.Status)
			continue
		}
		require.Equal(t, host.Interrupted, result.Status)
		result, err = agent.Run(t.Context(), host.Input{Thread: "t1", Resume: []host.Answer{{Interrupt: result.Interrupts[0].ID, Value: m.answer}}})
		require.NoError(t, err)
		require.Equal(t, host.Completed, result.Status)
	}
	return result
}
