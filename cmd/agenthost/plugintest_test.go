package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func (b *bundle) test(args ...string) int {
	return b.runWith(b.t.Context(), "", append([]string{"plugin", "test"}, args...)...)
}

// TestPlugins runs the golden cases of every plugin in this repository.
func TestPlugins(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Glob("../../plugins/*/*.wasm")
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	for _, module := range modules {
		t.Run(filepath.Base(module), func(t *testing.T) {
			t.Parallel()
			b := setup(t, say)
			require.Equal(t, exitOK, b.test(filepath.Dir(module)), b.out.String(), &b.err)
			require.Regexp(t, `(?m)^([3-9]|\d{2,}) cases, 0 failed$`, b.out.String())
		})
	}
}

// cased returns a directory with the guest bad and golden cases.
func cased(t *testing.T, cases map[string]string) *bundle {
	t.Helper()
	module, err := badGuest()
	require.NoError(t, err)
	b := setup(t, say)
	code, err := os.ReadFile(module)
	require.NoError(t, err)
	b.write("bad.wasm", string(code))
	for name, text := range cases {
		b.write("testdata/"+name+".yaml", text)
	}
	return b
}

const (
	used = `
hook: after_model
config: {how: use}
grant: {kv: true, model.generate: true, tool.call: [read_file]}
host_calls:
  model.generate:
    - reply: {messages: [{role: ai, content: echo}]}
  tool.call:
    - reply: {tool_message: {role: tool, content: "a file"}}
expect:
  log: ["warning: echo and a file"]
`
	lacking = `
hook: after_model
config: {how: use}
grant: {kv: true, model.generate: true}
`
)

func TestPluginTest(t *testing.T) {
	t.Parallel()
	b := cased(t, map[string]string{
		"used": used, "lacking": lacking,
		"refused": "hook: after_model\nconfig: {how: state}\n",
		"trap":    "hook: after_model\nconfig: {how: trap}\nexpect: {fault: trap}\n",
		"panics":  "hook: after_model\nconfig: {how: trap}\n",
		"ask":     "hook: after_model\nconfig: {how: ask}\nexpect:\n  result: {interrupts: [{key: approve, value: shall we?}]}\n",
		"asked":   "hook: after_model\nconfig: {how: ask}\nanswers: {approve: true}\n",
	})
	require.Equal(t, exitPlugin, b.test(b.dir), &b.err)
	at := filepath.Join(b.dir, "testdata")
	require.Regexp(t, `^\S+/ask.yaml: FAILED
  result.interrupts\[0\].value: "shall we\?" → "shall I\?"
\S+/asked.yaml: ok \(fuel \d+\)
\S+/lacking.yaml: FAILED
  host_calls: model.generate is called 1 times but has only 0 answers
  .+
\S+/panics.yaml: FAILED
  fault trap: .*panic: out of order.*
\S+/refused.yaml: FAILED
  fault protocol: field "secret" is not declared.*
\S+/trap.yaml: ok \(fuel \d+\)
\S+/used.yaml: ok \(fuel \d+\)
7 cases, 4 failed
$`, b.out.String())

	require.Equal(t, exitOK, b.test(filepath.Join(b.dir, "bad.wasm"), "--run", "^used$", "--json"), &b.err)
	var r testRecord
	lines := bufio.NewScanner(&b.out)
	require.True(t, lines.Scan())
	require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
	require.False(t, lines.Scan())
	require.Equal(t, testRecord{Case: filepath.Join(at, "used.yaml"), OK: true, Fuel: r.Fuel}, r)
	require.Positive(t, r.Fuel)

	require.Equal(t, exitPlugin, b.test(b.dir, "--update"), &b.err)
	require.Contains(t, b.out.String(), "/ask.yaml: updated\n")
	require.Contains(t, b.out.String(), "  this cannot be written as expected: fault protocol: field \"secret\"")
	require.Contains(t, b.out.String(), "7 cases, 3 failed, 1 updated\n")
	text, err := os.ReadFile(filepath.Join(at, "ask.yaml"))
	require.NoError(t, err)
	require.Equal(t, "hook: after_model\nconfig: {how: ask}\nexpect:\n  result:\n    interrupts:\n      - key: \"approve\"\n        value: \"shall I?\"\n",
		string(text))
}

func TestPluginTestIsUsedWrongly(t *testing.T) {
	t.Parallel()
	b := cased(t, map[string]string{"a": "hook: after_lunch\n", "b": "hok: after_model\n"})
	empty := filepath.Join(b.dir, "empty")
	require.NoError(t, os.MkdirAll(empty, 0o700))
	b.write("two/a.wasm", "")
	b.write("two/b.wasm", "")
	for says, args := range map[string][]string{
		"no such file": {filepath.Join(b.dir, "gone")},
		"there is no module (*.wasm) and no script in ": {empty},
		"there are 2 plugins in ":                       {filepath.Join(b.dir, "two")},
		"has no golden cases":                           {filepath.Join(b.dir, "two", "a.wasm")},
		"b.yaml:1:1: unknown":                           {b.dir},
		"a.yaml:1:7: hook: unk":                         {b.dir},
		"--run":                                         {b.dir, "--run", "("},
		"one argument too many":                         {"a", "b"},
	} {
		require.Equal(t, exitUsage, b.test(args...), says)
		require.Contains(t, b.err.String(), says)
		require.Empty(t, b.out.String())
	}
	b = cased(t, map[string]string{"a": "hook: after_model\n"})
	require.Equal(t, exitUsage, b.test(b.dir, "--run", "z"))
	require.Contains(t, b.err.String(), `none of the 1 cases`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, exitSignal, b.runWith(ctx, "", "plugin", "test", b.dir))
}
