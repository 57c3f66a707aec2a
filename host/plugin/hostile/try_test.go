package hostile_test

import (
	"flag"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/hostile"
)

var writeTo = flag.String("write", "", "leave the guests in this directory")

// guests returns the corpus, which is made only once.
var guests = sync.OnceValue(hostile.Guests)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

// TestTry checks every guest as the command plugin check does. The check must report each fault, and nothing else.
func TestTry(t *testing.T) {
	t.Parallel()
	for _, g := range guests() {
		if slices.Contains(g.Kinds, plugin.KindDeadline) || (usesLoadFuel(&g) && g.Stage != "describe") {
			continue // these take long, and TestGuests covers them
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			engine, err := plugin.NewEngine(plugin.EngineConfig{Memory: engines})
			require.NoError(t, err)
			records := plugin.Try(t.Context(), plugin.Wasm{Path: g.File(), Bytes: g.Module(), Limits: g.Limits, Engine: engine})
			require.NotEmpty(t, records)
			last := records[len(records)-1]
			require.Equal(t, g.File(), last.File)
			require.GreaterOrEqual(t, last.WallMS, 0.0)
			for _, r := range records {
				requireClean(t, r.Message)
				require.LessOrEqual(t, len([]rune(r.Message)), 1001)
			}
			failed := slices.IndexFunc(records, func(r plugin.Record) bool { return !r.OK })
			switch {
			case g.Benign:
				require.Negative(t, failed, "%+v", records)
			case failed < 0:
				require.Contains(t, g.Kinds, plugin.Kind(""))
			default:
				require.Contains(t, g.Kinds, records[failed].Kind, "%+v", records[failed])
				require.Contains(t, []string{records[failed].Stage, string(records[failed].Hook)}, g.Stage)
			}
			used, _ := engine.Memory()
			require.Zero(t, used)
			require.NoError(t, engine.Close())
		})
	}
}
