package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBadInputHasOneClearErrorAndExitCode(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: agenthost/v1\n"
	tests := []struct {
		name     string
		manifest string
		files    map[string]string
		args     []string // of run; default: a prompt
		code     int
		says     []string
	}{
		{
			name: "manifest that is empty", manifest: "", code: exitUsage, says: []string{"agenthost.yaml"},
		},
		{
			name: "manifest that is not YAML", manifest: head + "model: {provider: scripted\n", code: exitUsage,
			says: []string{"agenthost.yaml:2:", "^"},
		},
		{
			name: "manifest without a version", manifest: "model: {provider: scripted, echo: true}\n", code: exitUsage,
			says: []string{`agenthost.yaml:1:1: the key "apiVersion" is missing`, "  write apiVersion: agenthost/v1"},
		},
		{
			name: "unknown key", manifest: say + "midleware: []\n", code: exitUsage,
			says: []string{`agenthost.yaml:3:1: unknown key "midleware"`, "3 | midleware: []", "^", `did you mean "middleware"?`},
		},
		{
			name: "wrong type", manifest: say + "middleware:\n  - model_call_limit: {run_limit: often}\n", code: exitUsage,
			says: []string{"agenthost.yaml:4:35: middleware[0].model_call_limit.run_limit", "often", "^"},
		},
		{
			name: "response format without a schema", manifest: say + "response_format: {strategy: tool}\n", code: exitUsage,
			says: []string{"agenthost.yaml:3:18: response_format: a response format needs either schema or schemas, and not both", "^"},
		},
		{
			name: "missing env_file", manifest: say + "env_file: none.env\n", code: exitUsage,
			says: []string{"agenthost.yaml:3:11", "none.env: there is no such file", "(expected a file of lines NAME=VALUE)\n", "^"},
		},
		{
			name: "unknown checkpoint store", manifest: say + "checkpoint: redis://x\n", code: exitUsage,
			says: []string{"agenthost.yaml:3:13", `unknown checkpoint store "redis://x"`, "sqlite:PATH", "^"},
		},
		{
			name: "durability without a checkpoint", manifest: say + "durability: round\n", code: exitUsage,
			says: []string{"agenthost.yaml:3:13: durability: ", "there is no checkpoint", "sqlite:agent.db"},
		},
		{
			name: "thread without a checkpoint", manifest: say, args: []string{"--thread", "ada", "hi"}, code: exitUsage,
			says: []string{"agenthost.yaml: the manifest keeps no threads; add a checkpoint, such as\n  checkpoint: sqlite:agent.db"},
		},
		{
			name: "thread without a name", manifest: say, args: []string{"--thread", "", "hi"}, code: exitUsage,
			says: []string{"--thread: the name is empty; give the thread a name"},
		},
		{
			name: "flag of a thread without one", manifest: say, args: []string{"--wait", "1s", "hi"}, code: exitUsage,
			says: []string{"--wait needs a thread; name one with --thread"},
		},
		{
			name: "negative time", manifest: say, args: []string{"--thread", "ada", "--wait", "-1s", "hi"}, code: exitUsage,
			says: []string{"--wait -1s: the duration must not be negative"},
		},
		{
			name: "checkpoint 0", manifest: say, args: []string{"--thread", "ada", "--checkpoint", "0", "hi"}, code: exitUsage,
			says: []string{"--checkpoint 0: there is no such checkpoint; the first one is 1"},
		},
		{
			name: "number with a unit", manifest: say, args: []string{"--budget-tokens", "10k", "hi"}, code: exitUsage,
			says: []string{"agenthost: run: --budget-tokens 10k: write the number in digits only, such as 50\n", "Run 'agenthost run --help' for usage"},
		},
		{
			name: "duration without a unit", manifest: say, args: []string{"--timeout", "5", "hi"}, code: exitUsage,
			says: []string{"agenthost: run: --timeout 5: write a duration with a unit, such as 30s or 2m\n"},
		},
		{
			name: "neither true nor false", manifest: say, args: []string{"--continue=maybe", "hi"}, code: exitUsage,
			says: []string{"agenthost: run: --continue maybe: write true or false\n"},
		},
		{
			name: "continue with a prompt", manifest: say, args: []string{"--thread", "ada", "--continue", "hi"}, code: exitUsage,
			says: []string{"run: --continue takes no prompt; leave out the prompt to continue the last run, or --continue to start a new one"},
		},
		{
			name: "breakpoint at an unknown step", manifest: say + "interrupt_before: [modle]\n", code: exitUsage,
			says: []string{"agenthost.yaml:3:20: interrupt_before[0]: there is no such step; the steps are model", "^"},
		},
		{
			name: "unknown provider", manifest: head + "model: opanai:gpt-5.2\n", code: exitUsage,
			says: []string{"agenthost.yaml:2:8", `the provider "opanai" is unknown; did you mean "openai"?`, "^"},
		},
		{
			name: "model without a name", manifest: head + "model: {provider: openai}\n", code: exitUsage,
			says: []string{"agenthost.yaml:2:8", `the key "name" is missing`},
		},
		{
			name: "key in the manifest", manifest: head + "model: {provider: openai, name: gpt-5.2, api_key: sk-1}\n", code: exitUsage,
			says: []string{"agenthost.yaml:2:51", "a manifest cannot contain keys", "OPENAI_API_KEY", "env_file"},
		},
		{
			name:     "provider that cannot be reached",
			manifest: head + "model: {provider: openai, name: qwen3, base_url: 'http://127.0.0.1:1/v1'}\n", code: exitProvider,
			says: []string{`model "qwen3"`, "openai: connection", "127.0.0.1:1"},
		},
		{
			name: "unknown middleware", manifest: say + "middleware:\n  - model_call_limits: {run_limit: 1}\n", code: exitUsage,
			says: []string{`"model_call_limits"`, `did you mean "model_call_limit"?`},
		},
		{
			name: "configuration that the middleware refuses", manifest: say + "middleware:\n  - model_call_limit\n", code: exitUsage,
			says: []string{"agenthost.yaml:4:5", "at least one limit must be specified"},
		},
		{
			name: "a directory as a plugin", manifest: say + "middleware: [{plugin: .}]\n", code: exitUsage,
			says: []string{"agenthost.yaml:3:14", "middleware[0]: plugin file: ", "is a directory, not a regular file; name the module (.wasm) or the script (.ts, .js, .py) in it"},
		},
		{
			name: "missing plugin file", manifest: say + "middleware:\n  - plugin: ./none.wasm\n", code: exitUsage,
			says: []string{"agenthost.yaml:4:5", "none.wasm", "no such file"},
		},
		{
			name: "file that is not Wasm", manifest: say + "middleware:\n  - plugin: ./text.wasm\n", code: exitUsage,
			files: map[string]string{"text.wasm": "hello"}, says: []string{"text", "malformed", "not a WebAssembly module"},
		},
		{
			name: "guest without a marker", manifest: say + "middleware:\n  - plugin: ./bare.wasm\n", code: exitUsage,
			files: map[string]string{"bare.wasm": "\x00asm\x01\x00\x00\x00"},
			says:  []string{"not an agenthost plugin", `"agenthost_abi_v1"`},
		},
		{
			name: "missing rules file", manifest: head + "model: {provider: scripted, rules: none.yaml}\n", code: exitUsage,
			says: []string{"none.yaml", "no such file"},
		},
		{
			name: "mistake in the rules file", manifest: head + "model: {provider: scripted, rules: rules.yaml}\n", code: exitUsage,
			files: map[string]string{"rules.yaml": "rules:\n  - whn: x\n    say: y\n"},
			says:  []string{"rules.yaml:2:5", `did you mean "when"?`},
		},
		{
			name: "root that is missing", manifest: say + "tools:\n  - files: {root: ./none}\n", code: exitUsage,
			says: []string{"agenthost.yaml:4:19", "none"},
		},
		{name: "no prompt", manifest: say, args: []string{}, code: exitUsage, says: []string{"there is no prompt"}},
		{name: "empty prompt", manifest: say, args: []string{" "}, code: exitUsage, says: []string{"the prompt is empty"}},
		{name: "unknown flag", manifest: say, args: []string{"--outptu", "json"}, code: exitUsage, says: []string{"--outptu", "--help"}},
		{
			name: "unknown output", manifest: say, args: []string{"--output", "xml", "hi"}, code: exitUsage,
			says: []string{`run: --output: there is no format "xml"; use text, json or jsonl`},
		},
		{
			name: "set of an unknown key", manifest: say, args: []string{"--set", "nmae=x", "hi"}, code: exitUsage,
			says: []string{"--set nmae=x", `did you mean "name"?`},
		},
		{
			name: "model that fails", manifest: head + "model: {provider: scripted, turns: [{error: out of order}]}\n",
			code: exitProvider, says: []string{`model "scripted"`, "out of order"},
		},
		{
			name: "model that fails with an escape sequence", code: exitProvider, says: []string{"\uFFFD[2Jgone"},
			manifest: head + "model: {provider: scripted, turns: [{error: \"\\e[2Jgone\"}]}\n",
		},
		{
			name: "limit that fails the run", code: exitLimit, says: []string{"Model call limits exceeded: run limit (0/0)"},
			manifest: say + "middleware:\n  - model_call_limit: {run_limit: 0, exit_behavior: error}\n",
		},
		{
			name: "limit of tool calls", code: exitLimit,
			manifest: head + "model: {provider: scripted, turns: [{tool_calls: [{name: list_files, args: {}}]}]}\n" +
				"tools: [{files: {root: .}}]\ntool_calls: {max_loops: 1}\n",
			says: []string{"the run needs more model steps than max_loops allows, which is 1", "the manifest sets this limit under tool_calls"},
		},
		{
			name: "recursion limit", manifest: say + "recursion_limit: 1\n", code: exitLimit, says: []string{"recursion limit of 1 reached"},
		},
		{
			name: "path that leaves root", code: exitOK,
			manifest: head + "model: {provider: scripted, turns: [{tool_calls: [{id: a, name: read_file, args: {path: ../agenthost.yaml}}]}, {content: done}]}\n" +
				"tools:\n  - files: {root: ./data}\n",
			files: map[string]string{"data/a.txt": "a"}, says: []string{"read_file returned an error", "root"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, test.manifest)
			for name, text := range test.files {
				b.write(name, text)
			}
			args := test.args
			if args == nil {
				args = []string{"hi"}
			}
			require.Equal(t, test.code, b.run(append([]string{"run"}, args...)...), "%s%s", &b.out, &b.err)
			for _, text := range test.says {
				require.Contains(t, b.err.String(), text)
			}
			require.NotContains(t, b.err.String(), "goroutine")
		})
	}
}

func TestAMissingManifestSaysHowToNameOne(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	code := b.runWith(t.Context(), "", "run", "-f", filepath.Join(b.dir, "other.yaml"), "hi")
	require.Equal(t, exitUsage, code)
	require.Contains(t, b.err.String(), "other.yaml: there is no such file")
	require.Contains(t, b.err.String(), "-f FILE")
}

func TestSecretsOfTheEnvironmentNeverShowInErrors(t *testing.T) {
	const secret = "s3cr3t-value"
	t.Setenv("AGENTHOST_TEST_SECRET", secret)
	b := setup(t, say+"middleware:\n  - plugin: ./${AGENTHOST_TEST_SECRET}.wasm\n")
	require.Equal(t, exitUsage, b.run("run", "hi"))
	require.NotContains(t, b.err.String(), secret)
	require.Contains(t, b.err.String(), "${AGENTHOST_TEST_SECRET}")
}

func TestASymlinkDoesNotLeadOutOfRoot(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\n"+
		"model: {provider: scripted, turns: [{tool_calls: [{id: a, name: read_file, args: {path: link.txt}}]}, {content: done}]}\n"+
		"tools:\n  - files: {root: ./data}\n")
	b.write("data/a.txt", "a")
	b.write("outside.txt", "top secret")
	require.NoError(t, os.Symlink("../outside.txt", filepath.Join(b.dir, "data", "link.txt")))
	require.Equal(t, exitOK, b.run("run", "--output", "json", "hi"), &b.err)
	require.NotContains(t, b.out.String(), "top secret")
	require.Contains(t, b.out.String(), `"status": "error"`)
}
