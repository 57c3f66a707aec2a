package manifest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/manifest"
)

// A fresh checkout has an example of the env_file at most, and the error leads there.
func TestAMissingEnvFileLeadsToItsExample(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "agenthost.yaml")
	require.NoError(t, os.WriteFile(path, []byte("apiVersion: agenthost/v1\nenv_file: .env\nmodel: {provider: scripted, turns: [{content: hi}]}\n"), 0o600))
	const advice = "copy .env.example to .env, and fill in the values"
	_, err := manifest.Load(path, manifest.Options{})
	require.Error(t, err)
	require.NotContains(t, err.Error(), advice, "there is no example")

	require.NoError(t, os.WriteFile(filepath.Join(dir, ".env.example"), []byte("A=\n"), 0o600))
	_, err = manifest.Load(path, manifest.Options{})
	require.ErrorContains(t, err, advice)
	var missing *manifest.NotFoundError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, filepath.Join(dir, ".env"), missing.Path)
}
