package js_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	loader "github.com/agenthost/agenthost/host/plugin/script"
)

// needs returns the path of a program or file. Without it the test is skipped, or fails in CI.
func needs(t *testing.T, path string, err error) string {
	t.Helper()
	if err == nil && filepath.IsAbs(path) {
		_, err = os.Stat(path)
	}
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	return path
}

// installed packs the npm package and installs the packed file in a new directory, without the network.
func installed(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("npm")
	npm := needs(t, path, err)
	dir := t.TempDir()
	execute(t, ".", nil, npm, "pack", "--pack-destination", dir)
	packed, err := filepath.Glob(filepath.Join(dir, "agenthost-*.tgz"))
	require.NoError(t, err)
	require.Len(t, packed, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o600))
	execute(t, dir, nil, npm, "install", "--offline", "--no-audit", "--no-fund", packed[0])
	return dir
}

func execute(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Dir, c.Env = dir, append(append(os.Environ(), "NO_COLOR=1"), env...)
	output, err := c.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

// copyInto copies a file into a directory.
func copyInto(t *testing.T, dir string, files ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600))
	}
}

// TestThePackedPackage runs the tests in test/ by Node's test runner, with the package as a user installs it.
func TestThePackedPackage(t *testing.T) {
	t.Parallel()
	dir := installed(t)
	module, err := loader.Loader{}.Load("../../examples/typescript/policy/policy.ts")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "policy.wasm"), module, 0o600))
	copyInto(t, dir, "test/testing.test.mjs")
	require.Regexp(t, `(?m)^# pass 6$`, execute(t, dir, []string{"PACKED=policy.wasm"}, "node", "--test", "--test-reporter=tap"))
	require.FileExists(t, filepath.Join(dir, "node_modules", "agenthost", "engine", "quickjs", "LICENSE"))
}

// TestTypes checks the types of the package, the examples and the tutorial with tsc. Lines with @ts-expect-error must not compile.
func TestTypes(t *testing.T) {
	t.Parallel()
	tsc, err := filepath.Abs("../../.bin/servers/node_modules/typescript/bin/tsc")
	require.NoError(t, err)
	needs(t, tsc, nil)
	dir := installed(t)
	examples, err := filepath.Glob("../../examples/typescript/*/*.ts")
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	copyInto(t, dir, "test/tsconfig.json")
	copyInto(t, filepath.Join(dir, "src"), append(examples, "test/types.ts")...)
	page, err := os.ReadFile("../../docs/typescript.md")
	require.NoError(t, err)
	plugins := regexp.MustCompile("(?s)<!-- file: policy.ts -->\n```ts\n(.*?)```\n").FindAllSubmatch(page, -1)
	require.NotEmpty(t, plugins)
	last := plugins[len(plugins)-1][1]
	require.NoError(t, os.WriteFile(filepath.Join(dir, "src", "tutorial.ts"), last, 0o600))
	execute(t, dir, nil, "node", tsc, "-p", ".")
}
