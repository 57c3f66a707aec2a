package js_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	loader "github.com/agenthost/agenthost/host/plugin/script"
	"github.com/agenthost/agenthost/test/packages"
	"github.com/agenthost/agenthost/test/testservers"
)

// installed packs the npm package and installs the packed file in a new directory, without the network. Without npm the test is
// skipped, or fails in CI.
func installed(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	dir := t.TempDir()
	packages.Run(t, ".", nil, npm, "pack", "--pack-destination", dir)
	packed := packages.Only(t, filepath.Join(dir, "agenthost-*.tgz"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o600))
	packages.Run(t, dir, nil, npm, "install", "--offline", "--no-audit", "--no-fund", packed)
	return dir
}

// TestThePackedPackage runs the tests in test/ by Node's test runner, with the package as a user installs it.
func TestThePackedPackage(t *testing.T) {
	t.Parallel()
	dir := installed(t)
	module, err := loader.Loader{}.Load("../../examples/typescript/policy/policy.ts")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "policy.wasm"), module, 0o600))
	packages.Copy(t, dir, "test/testing.test.mjs")
	require.Regexp(t, `(?m)^# pass 7$`, packages.Run(t, dir, []string{"PACKED=policy.wasm"}, "node", "--test", "--test-reporter=tap"))
	packed := filepath.Join(dir, "node_modules", "agenthost")
	require.FileExists(t, filepath.Join(packed, "engine", "quickjs", "LICENSE"))
	licence, err := os.ReadFile("../../LICENSE")
	require.NoError(t, err)
	shipped, err := os.ReadFile(filepath.Join(packed, "LICENSE"))
	require.NoError(t, err)
	require.Equal(t, string(licence), string(shipped))
}

// TestTypes checks the types of the package, the examples and the tutorial with tsc. Lines with @ts-expect-error must not compile.
func TestTypes(t *testing.T) {
	t.Parallel()
	tsc := testservers.Tool(t, "node_modules/typescript/bin/tsc", "node")
	dir := installed(t)
	examples, err := filepath.Glob("../../examples/typescript/*/*.ts")
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	packages.Copy(t, dir, "test/tsconfig.json")
	packages.Copy(t, filepath.Join(dir, "src"), append(examples, "test/types.ts")...)
	page, err := os.ReadFile("../../docs/typescript.md")
	require.NoError(t, err)
	plugins := regexp.MustCompile("(?s)<!-- file: policy.ts -->\n```ts\n(.*?)```\n").FindAllSubmatch(page, -1)
	require.NotEmpty(t, plugins)
	last := plugins[len(plugins)-1][1]
	require.NoError(t, os.WriteFile(filepath.Join(dir, "src", "tutorial.ts"), last, 0o600))
	packages.Run(t, dir, nil, "node", tsc, "-p", ".")
}
