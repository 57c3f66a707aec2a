package hostile_test

import (
	"flag"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/hostile"
)

var writeTo = flag.String("write", "", "leave the guests in this directory")

// guests returns the corpus, which is made only once.
var guests = sync.OnceValue(hostile.Guests)

func TestMain(m *testing.M) {
	debug.SetGCPercent(100) // make test collects less garbage, but these tests measure the heap
	goleak.VerifyTestMain(m)
}

// TestWrite writes all guests to files.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := *writeTo
	if dir == "" {
		dir = t.TempDir()
	}
	paths, err := hostile.Write(dir)
	require.NoError(t, err)
	require.Len(t, paths, len(guests()))
	for i, g := range guests() {
		require.Equal(t, filepath.Join(dir, g.File()), paths[i])
		require.FileExists(t, paths[i])
	}
	_, err = hostile.Write(filepath.Join(dir, "none"))
	require.Error(t, err)
}

// TestCheck checks every guest as the command plugin check does. The check must report each fault, and nothing else.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, g := range guests() {
		if slices.Contains(g.Kinds, plugin.KindDeadline) || (usesLoadFuel(&g) && g.Stage != "describe") {
			continue // these take long, and TestGuests covers them
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			engine, err := plugin.NewEngine(plugin.EngineConfig{Memory: engines})
			require.NoError(t, err)
			findings := author.Check(t.Context(), plugin.Wasm{Path: g.File(), Bytes: g.Module(), Limits: g.Limits, Engine: engine})
			require.NotEmpty(t, findings)
			last := findings[len(findings)-1]
			require.Equal(t, g.File(), last.File)
			require.GreaterOrEqual(t, last.WallMS, 0.0)
			for _, f := range findings {
				requireClean(t, f.Message)
				require.LessOrEqual(t, len([]rune(f.Message)), 1001)
			}
			failed := slices.IndexFunc(findings, func(f author.Finding) bool { return !f.OK })
			switch {
			case g.Benign:
				require.Negative(t, failed, "%+v", findings)
			case failed < 0:
				require.Contains(t, g.Kinds, plugin.Kind(""))
			default:
				require.Contains(t, kinds(&g), findings[failed].Kind, "%+v", findings[failed])
				require.Contains(t, []string{findings[failed].Stage, string(findings[failed].Hook)}, g.Stage)
			}
			used, _ := engine.Memory()
			require.Zero(t, used)
			require.NoError(t, engine.Close())
		})
	}
}
