package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/golden"
	"github.com/agenthost/agenthost/host/plugin"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = modules.Close()
		os.Exit(code)
	}))
}

// modules keeps the compiled guests for all tests.
var modules = func() *plugin.Engine {
	e, err := plugin.NewEngine(plugin.EngineConfig{})
	if err != nil {
		panic(err)
	}
	return e
}()

// guest returns a committed guest of the tests of package plugin.
func guest(name string) plugin.Wasm {
	return plugin.Wasm{
		ID: name, Engine: modules,
		Path: filepath.Join("..", "..", "..", "..", "host", "plugin", "testdata", name+".tinygo.wasm"),
	}
}

// write writes a case to a file of its own.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// load reads a case.
func load(t *testing.T, text string) *golden.Case {
	t.Helper()
	c, err := golden.Load(write(t, text))
	require.NoError(t, err)
	return c
}

// compare performs a case and returns the differences.
func compare(t *testing.T, w plugin.Wasm, text string) []string {
	t.Helper()
	c := load(t, text)
	outcome, err := c.Perform(t.Context(), w)
	require.NoError(t, err)
	return c.Compare(outcome)
}

// updated performs a case, updates it, and returns its new expect.
func updated(t *testing.T, w plugin.Wasm, text string) string {
	t.Helper()
	c := load(t, text)
	outcome, err := c.Perform(t.Context(), w)
	require.NoError(t, err)
	_, err = c.Update(outcome)
	require.NoError(t, err)
	b, err := os.ReadFile(c.Path)
	require.NoError(t, err)
	require.Empty(t, compare(t, w, string(b)), "what was written is as expected")
	_, after, ok := strings.Cut("\n"+string(b), "\nexpect:")
	require.True(t, ok, string(b))
	return after
}
