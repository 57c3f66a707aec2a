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

			said = do(exitOK, "plugin", "build", "--lang", lang)
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

func TestPluginNewRefusesWhatItCannotDo(t *testing.T) {
	b := setup(t, say)
	checkout, err := filepath.Abs("../..")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	for says, args := range map[string][]string{
		"--lang is missing; choose go, tinygo or rust":    {"x"},
		"plugin new: NAME is missing":                     {"--lang", "go"},
		`the language "c" is unknown`:                     {"x", "--lang", "c"},
		`there is no hook "before_tool"`:                  {"x", "--lang", "go", "--hooks", "before_tool"},
		"this is not a checkout of agenthost":             {"x", "--lang", "go", "--sdk", "."},
		`"Big Name" is not a valid name for a plugin`:     {"Big Name", "--lang", "go", "--sdk", checkout},
		`"../elsewhere" is not a valid name for a plugin`: {"../elsewhere", "--lang", "go", "--sdk", checkout},
	} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", append([]string{"plugin", "new"}, args...)...), says)
		require.Contains(t, b.err.String(), says)
		entries, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Empty(t, entries)
	}
}
