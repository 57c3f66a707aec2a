package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// recordedRun records a run with a copy of the plugin redact in the bundle, and returns the recording.
func recordedRun(t *testing.T, more string) (*bundle, string) {
	t.Helper()
	b := setup(t, "apiVersion: agenthost/v1\n"+
		"model: {provider: scripted, turns: [{tool_calls: [{id: a, name: read_file, args: {path: a.txt}}]}, {content: done}]}\n"+
		"tools:\n  - files: {root: ./data}\n"+
		"middleware:\n  - plugin: redact.wasm\n"+more)
	module, err := os.ReadFile(redact)
	require.NoError(t, err)
	b.write("redact.wasm", string(module))
	b.write("data/a.txt", "mail bob@mail.example\n")
	path := filepath.Join(b.dir, "run.cassette")
	require.Equal(t, exitOK, b.run("run", "--record", path, "I am ann@mail.example"), &b.err)
	require.Equal(t, "done\n", b.out.String())
	require.Contains(t, b.err.String(), "recorded 3 calls in "+path)
	return b, path
}

func (b *bundle) replay(args ...string) int {
	return b.runWith(b.t.Context(), "", append([]string{"plugin", "replay"}, args...)...)
}

func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	b, path := recordedRun(t, "    limits: {fuel: 1M}\n")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())

	require.Equal(t, exitOK, b.replay(path), &b.err)
	require.Regexp(t, `^call 1: redact.before_model: ok \(fuel (\d+)\)
call 2: redact.wrap_tool_call: ok \(fuel \d+\)
call 3: redact.before_model: ok \(fuel \d+\)
3 calls repeated, 0 different
$`, b.out.String())

	require.Equal(t, exitOK, b.replay(path, "--call", "2", "--json"), &b.err)
	var records []replayRecord
	for lines := bufio.NewScanner(&b.out); lines.Scan(); {
		var r replayRecord
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		records = append(records, r)
	}
	require.Len(t, records, 1)
	require.True(t, records[0].OK)
	require.Equal(t, "redact.wrap_tool_call", records[0].Step)
	require.Positive(t, records[0].Fuel)
	require.Equal(t, records[0].RecordedFuel, records[0].Fuel)
}

func TestReplayWithAnotherModule(t *testing.T) {
	t.Parallel()
	b, path := recordedRun(t, "")
	module, err := os.ReadFile(redact)
	require.NoError(t, err)
	changed := make([]byte, len(module))
	copy(changed, module)
	replaceAll(changed, "[REDACTED_", "[Redacted_")
	b.write("build/new.wasm", string(changed))
	other := filepath.Join(b.dir, "build", "new.wasm")
	require.Equal(t, exitPlugin, b.replay(path, "--plugin", other), &b.err)
	require.Contains(t, b.out.String(), "call 1: redact.before_model: DIFFERENT (fuel ")
	require.Contains(t, b.out.String(), `  result: patch[0].content: "I am [REDACTED_EMAIL]" → "I am [Redacted_EMAIL]"`)
	require.Contains(t, b.out.String(), "3 calls repeated, 2 different\n")
	require.Equal(t, exitOK, b.replay(path, "--plugin", "redact="+other, "--call", "3"), &b.err)

	b.write("redact.wasm", string(changed))
	require.Equal(t, exitUsage, b.replay(path))
	require.Contains(t, b.err.String(), "the module has the sha256")
	require.Contains(t, b.err.String(), "put the recorded module back, or compare with another one with --plugin FILE")
	require.NoError(t, os.Remove(filepath.Join(b.dir, "redact.wasm")))
	require.Equal(t, exitUsage, b.replay(path))
	require.Contains(t, b.err.String(), "no such file")
	require.Equal(t, exitOK, b.replay(path, "--plugin", redact), &b.err)
}

// replaceAll replaces texts in a module by others of the same length.
func replaceAll(module []byte, old, with string) {
	for i := range len(module) - len(old) {
		if string(module[i:i+len(old)]) == old {
			copy(module[i:], with)
		}
	}
}

func TestReplayIsUsedWrongly(t *testing.T) {
	t.Parallel()
	b, path := recordedRun(t, "")
	b.write("other", "no cassette")
	for says, args := range map[string][]string{
		"plugin replay: FILE is missing":   {},
		"no such file":                     {filepath.Join(b.dir, "gone")},
		"is not a cassette":                {filepath.Join(b.dir, "other")},
		"there is no call 4":               {path, "--call", "4"},
		`has no plugin "x"`:                {path, "--plugin", "x=y.wasm"},
		"both replace the plugin":          {path, "--plugin", "a.wasm", "--plugin", "b.wasm"},
		"gone.wasm: there is no such file": {path, "--plugin", filepath.Join(b.dir, "gone.wasm")},
		"not a WebAssembly module":         {path, "--plugin", filepath.Join(b.dir, "other")},
		"malformed":                        {b.cut(path, "bad.cassette", "\xc4\x01\xc1"), "--call", "1"},
	} {
		require.Equal(t, exitUsage, b.replay(args...), says)
		require.Contains(t, b.err.String(), says)
		require.Empty(t, b.out.String())
	}
	require.Equal(t, exitUsage, b.run("run", "--record", path, "hi"))
	require.Contains(t, b.err.String(), "already exists, and is not overwritten")
}

// cut writes the recording with more bytes at the end, or without its last ones.
func (b *bundle) cut(path, name, more string) string {
	b.t.Helper()
	whole, err := os.ReadFile(path)
	require.NoError(b.t, err)
	if more == "" {
		whole = whole[:len(whole)-7]
	}
	b.write(name, string(whole)+more)
	return filepath.Join(b.dir, name)
}

func TestReplayOfAnIncompleteRecording(t *testing.T) {
	t.Parallel()
	b, path := recordedRun(t, "")
	require.Equal(t, exitOK, b.replay(b.cut(path, "cut.cassette", "")), &b.err)
	require.Contains(t, b.out.String(), "2 calls repeated, 0 different\n")
	require.Contains(t, b.err.String(), "the last document is incomplete")
}

func TestARunWithoutPluginsLeavesNoRecording(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	path := filepath.Join(b.dir, "run.cassette")
	require.Equal(t, exitOK, b.run("run", "--record", path, "hi"), &b.err)
	require.Contains(t, b.err.String(), "no plugin was called")
	require.NoFileExists(t, path)
	b.write("agenthost.yaml", "nonsense")
	require.Equal(t, exitUsage, b.run("run", "--record", path, "hi"))
	require.NoFileExists(t, path)
}
