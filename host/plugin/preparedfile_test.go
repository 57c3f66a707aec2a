package plugin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// trapping is a guest like simple, whose hook traps.
func trapping() []byte {
	return guestkit.Hooked(abi.BeforeModel, abi.HookSpec{}).On("before_model", guestkit.Trap).Bytes()
}

// runs lets an agent with the plugin answer, by an engine of its own.
func runs(t *testing.T, dir string, w plugin.Wasm) error {
	t.Helper()
	engine := newEngine(plugin.EngineConfig{Dir: dir})
	closes(t, engine)
	w.Engine = engine
	_, err := setup(t, w).run(t)
	return err
}

func preparedName(dir string, code []byte, suffix string) string {
	sum := sha256.Sum256(code)
	return filepath.Join(dir, "prepared", hex.EncodeToString(sum[:])+suffix)
}

func TestPreparedModulesAreKeptForTheNextProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, runs(t, dir, plugin.Wasm{Bytes: simple()}))
	fault := faultIn(t, runs(t, dir, plugin.Wasm{Bytes: trapping()}))
	require.Equal(t, plugin.KindTrap, fault.Kind)
	name := preparedName(dir, simple(), "")
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	other, err := os.ReadFile(preparedName(dir, trapping(), ""))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, other, 0o600))
	fault = faultIn(t, runs(t, dir, plugin.Wasm{Bytes: simple()}))
	require.Equal(t, plugin.KindTrap, fault.Kind, "it is the file that is used")
}

// A file that another build has written, or nobody, is made anew.
func TestPreparedModulesOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, runs(t, dir, plugin.Wasm{Bytes: simple()}))
	name := preparedName(dir, simple(), "")
	good, err := os.ReadFile(name)
	require.NoError(t, err)
	changed := func(at int) []byte {
		out := slices.Clone(good)
		out[at] ^= 1
		return out
	}
	for what, spoilt := range map[string][]byte{
		"another build's": changed(0), "of another digest": changed(sha256.Size), "with a wrong byte": changed(len(good) - 1),
		"cut off": good[:len(good)-1], "cut off at once": good[:sha256.Size], "empty": {},
	} {
		require.NoError(t, os.WriteFile(name, spoilt, 0o600))
		require.NoError(t, runs(t, dir, plugin.Wasm{Bytes: simple()}), what)
		now, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, good, now, what)
	}
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "prepared")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prepared"), nil, 0o600))
	require.NoError(t, runs(t, dir, plugin.Wasm{Bytes: simple()}), "where nothing can be kept")
}

// The meter of a module for isolation is another one; a module that is refused is not kept.
func TestWhatIsPrepared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		require.NoError(t, runs(t, dir, plugin.Wasm{Bytes: simple(), Isolation: plugin.IsolateCall}))
	}
	require.FileExists(t, preparedName(dir, simple(), "-globals"))
	require.NoFileExists(t, preparedName(dir, simple(), ""))

	engine := newEngine(plugin.EngineConfig{Dir: dir})
	closes(t, engine)
	require.Error(t, loads(engine, []byte("\x00asm\x01\x00\x00\x00\x0d\x00")))
	files, err := os.ReadDir(filepath.Join(dir, "prepared"))
	require.NoError(t, err)
	require.Len(t, files, 1)
}
