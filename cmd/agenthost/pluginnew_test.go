package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/toolchain/toolchaintest"
)

// nativeTest has the command that runs a new project's unit tests.
var nativeTest = map[string][]string{
	"go": {"go", "test", "./..."}, "tinygo": {"go", "test", "./..."}, "rust": {"cargo", "test", "--quiet"},
}

// TestFromNothingToARun does what a new user does, in an empty directory outside of the checkout, in each language.
func TestFromNothingToARun(t *testing.T) {
	toolchaintest.Need(t)
	checkout, err := filepath.Abs("../..")
	require.NoError(t, err)
	for _, test := range []struct{ lang, sdk string }{{"go", ""}, {"tinygo", ""}, {"rust", ""}, {"tinygo", checkout}, {"rust", checkout}} {
		lang := test.lang
		unitTests := nativeTest[lang]
		t.Run(lang+test.sdk, func(t *testing.T) {
			t.Chdir(t.TempDir())
			b := setup(t, say)
			do := func(want int, args ...string) string {
				t.Helper()
				require.Equal(t, want, b.runWith(t.Context(), "", args...), "%v\n%s%s", args, &b.out, &b.err)
				return b.out.String()
			}
			said := do(exitOK, "plugin", "new", "first-try", "--lang", lang, "--sdk", test.sdk,
				"--hooks", "before_agent,before_model,wrap_model_call,after_model,wrap_tool_call,after_agent")
			require.Contains(t, said, "cd first-try")
			require.Equal(t, exitUsage, b.runWith(t.Context(), "", "plugin", "new", "first-try", "--lang", lang))
			require.Contains(t, b.err.String(), "first-try already exists")

			t.Chdir("first-try")
			c := exec.CommandContext(t.Context(), unitTests[0], unitTests[1:]...)
			output, err := c.CombinedOutput()
			require.NoError(t, err, "%s", output)

			said = do(exitOK, "plugin", "build")
			require.Contains(t, said, "built with "+lang+",", "the project remembers it")
			require.Contains(t, said, "hooks  before_agent, before_model, wrap_model_call, after_model, wrap_tool_call, after_agent")
			if lang != "go" {
				info, err := os.Stat("first-try.wasm")
				require.NoError(t, err)
				require.LessOrEqual(t, info.Size(), int64(200_000), "a small plugin stays small")
			}
			require.Contains(t, do(exitOK, "plugin", "test"), "6 cases, 0 failed")
			require.Contains(t, do(exitOK, "plugin", "inspect", "first-try.wasm"), "first-try_calls")
			require.Contains(t, do(exitOK, "validate"), "ok")
			require.Equal(t, "These are the files.\n", do(exitOK, "run", "hello"))

			do(exitOK, "run", "--record", "run.cassette", "hello")
			do(exitOK, "plugin", "replay", "run.cassette")
			require.NoError(t, os.Remove("testdata/ends.yaml"))
			do(exitOK, "plugin", "test", "--update")
		})
	}
}

// TestAScriptFromNothingToARun does what a new user of TypeScript, JavaScript or Python does, for whom agenthost is enough.
func TestAScriptFromNothingToARun(t *testing.T) {
	for _, test := range []struct{ lang, file, breaks, says, cut, cutSays string }{
		{"ts", "first-try.ts", "null.x\n", ":1: TypeError", "import {\n", ":2: "},
		{"js", "first-try.js", "null.x\n", ":1: TypeError", "import {\n", ":2: "},
		{"python", "first-try.py", "None.x\n", ":1: AttributeError", "import (\n", ":1: SyntaxError"},
	} {
		lang, file := test.lang, test.file
		t.Run(lang, func(t *testing.T) {
			t.Chdir(t.TempDir())
			b := setup(t, say)
			do := func(want int, args ...string) string {
				t.Helper()
				require.Equal(t, want, b.runWith(t.Context(), "", args...), "%v\n%s%s", args, &b.out, &b.err)
				return b.out.String()
			}
			require.Contains(t, do(exitOK, "plugin", "new", "first-try", "--lang", lang, "--hooks",
				"before_agent,before_model,wrap_model_call,after_model,wrap_tool_call,after_agent"), "agenthost plugin check "+file)
			t.Chdir("first-try")
			require.Contains(t, do(exitOK, "plugin", "check", file), "after_agent     ok")
			require.Contains(t, do(exitOK, "plugin", "inspect", file), "first-try_calls")
			require.Contains(t, do(exitOK, "plugin", "bench", file, "--duration", "20ms", "--hook", "before_model"), "before_model")
			require.Contains(t, do(exitOK, "validate"), "ok")
			require.Equal(t, "These are the files.\n", do(exitOK, "run", "--record", "run.cassette", "hello"))
			require.Regexp(t, `\d+ calls repeated, 0 different`, do(exitOK, "plugin", "replay", "run.cassette"))
			require.Contains(t, do(exitOK, "plugin", "test"), "6 cases, 0 failed")

			do(exitUsage, "plugin", "build")
			require.Contains(t, b.err.String(), "a script needs no build")
			do(exitUsage, "plugin", "build", "--lang", lang)
			require.Contains(t, b.err.String(), "a script needs no build")

			// A packed plugin is one module that does the same.
			require.Regexp(t, `^first-try.wasm: \d+ bytes, before packing \d+\n  sha256 [0-9a-f]{64}\n$`, do(exitOK, "plugin", "pack", file))
			require.Contains(t, do(exitOK, "plugin", "inspect", "first-try.wasm"), "embedded      a Description, the same as describe returns")
			require.Contains(t, do(exitOK, "plugin", "test", "first-try.wasm"), "6 cases, 0 failed")
			require.Regexp(t, `\d+ calls repeated, 0 different`, do(exitOK, "plugin", "replay", "run.cassette", "--plugin", "first-try=first-try.wasm"))
			packed, err := os.ReadFile("first-try.wasm")
			require.NoError(t, err)
			do(exitOK, "plugin", "pack", "first-try.wasm")
			again, err := os.ReadFile("first-try.wasm")
			require.NoError(t, err)
			require.Equal(t, packed, again)
			require.Equal(t, "These are the files.\n",
				do(exitOK, "run", "--set", `middleware=[{plugin: {path: ./first-try.wasm}, isolation: call}]`, "hello"))

			// What breaks it is told with its line, and is not a fault of the host.
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, []byte(test.breaks+string(source)), 0o600))
			require.Contains(t, do(exitPlugin, "plugin", "check", file), file+test.says)
			require.Contains(t, do(exitPlugin, "plugin", "inspect", file), file+test.says)
			do(exitPlugin, "plugin", "pack", file)
			require.Contains(t, b.err.String(), file+test.says)
			require.NoError(t, os.WriteFile(file, []byte(test.cut), 0o600))
			code := exitUsage // the loader finds it
			if lang == "python" {
				code = exitPlugin // the engine does
			}
			require.Contains(t, do(code, "plugin", "check", file), file+test.cutSays)
			do(code, "plugin", "pack", file)
			require.Contains(t, b.err.String(), file+test.cutSays)
		})
	}
}

func TestScriptsInDirectories(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	const empty = "import { plugin } from \"agenthost\"\nexport default plugin({ name: \"x\", version: \"1\", beforeModel() {} })\n"
	const python = "from agenthost import before_model\n\n@before_model\ndef f(state): pass\n"
	const golden = "hook: before_model\nmessages: [{role: human, content: hello}]\nexpect: {}\n"
	for name, text := range map[string]string{
		"package/package.json": `{"main": "src/x.js"}`, "package/src/x.js": empty, "package/testdata/a.yaml": golden,
		"one/x.ts": empty, "one/x.wasm": "", "one/testdata/a.yaml": golden,
		"own/own.ts": empty, "own/a.ts": empty, "own/types.d.ts": "", "own/testdata/a.yaml": golden,
		"two/a.ts": empty, "two/b.mjs": empty,
		"module/__init__.py": "from .rules import f", "module/rules.py": python, "module/testdata/a.yaml": golden,
		"beside/beside.py": python, "beside/test_beside.py": "", "beside/beside_test.py": "", "beside/conftest.py": "", "beside/testdata/a.yaml": golden,
		"tested/x.ts": empty, "tested/x.test.ts": "", "tested/testdata/a.yaml": golden,
	} {
		b.write(name, text)
	}
	for _, dir := range []string{"package", "one", "own", "module", "beside", "tested"} {
		require.Equal(t, exitOK, b.test(filepath.Join(b.dir, dir)), "%s %s", &b.out, &b.err)
		require.Contains(t, b.out.String(), "1 case, 0 failed")
	}
	require.Equal(t, exitUsage, b.test(filepath.Join(b.dir, "two")))
	require.Contains(t, b.err.String(), "there are 2 plugins in "+filepath.Join(b.dir, "two")+" (a.ts, b.mjs); name the one to test")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "pack", filepath.Join(b.dir, "package")), &b.err)
	require.FileExists(t, filepath.Join(b.dir, "package", "package.wasm"))
}

func TestPluginNewRefusesWhatItCannotDo(t *testing.T) {
	b := setup(t, say)
	checkout, err := filepath.Abs("../..")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	for says, args := range map[string][]string{
		"--lang is missing; choose go, tinygo, rust, ts, js or python": {"x"},
		"plugin new: NAME is missing":                                  {"--lang", "go"},
		`the language "c" is unknown`:                                  {"x", "--lang", "c"},
		`there is no hook "before_tool"`:                               {"x", "--lang", "go", "--hooks", "before_tool"},
		"this is not a checkout of agenthost":                          {"x", "--lang", "go", "--sdk", "."},
		`"Big Name" is not a valid name for a plugin`:                  {"Big Name", "--lang", "go", "--sdk", checkout},
		`"../elsewhere" is not a valid name for a plugin`:              {"../elsewhere", "--lang", "go", "--sdk", checkout},
	} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", append([]string{"plugin", "new"}, args...)...), says)
		require.Contains(t, b.err.String(), says)
		entries, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Empty(t, entries)
	}
}
