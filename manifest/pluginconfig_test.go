package manifest_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/manifest"
)

// The caret of an error about a plugin's configuration is below the key or value that does not fit.
func TestErrorsOfAPluginsConfigurationAreShownAtTheirPlace(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs("../plugins/redact/redact.wasm")
	require.NoError(t, err)
	for name, test := range map[string]struct{ config, shown string }{
		"an unknown key": {
			"strategy: mask\n      stratgy: hash\n",
			"agenthost.yaml:7:7: middleware[0].config: unknown key \"stratgy\"\n  7 |       stratgy: hash\n    |       ^\n  did you mean \"strategy\"?",
		},
		"a wrong value": {
			"types: [email]\n      strategy: maask\n",
			"agenthost.yaml:7:17: middleware[0].config.strategy: enum: maask does not equal any of: [redact mask hash block]\n" +
				"  7 |       strategy: maask\n    |                 ^",
		},
		"an item of a list": {
			"types: [email, phone]\n",
			"agenthost.yaml:6:22: middleware[0].config.types[1]: enum: phone",
		},
		"a secret": {
			"strategy: {api_key: hunter2hunter2}\n",
			"agenthost.yaml:6:17: middleware[0].config.strategy: enum: map[api_key:***]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := folder(t, [2]string{
				"agenthost.yaml", "model: {provider: scripted, echo: true}\nmiddleware:\n  - plugin: " + module + "\n    config:\n      " + test.config,
			})
			m, err := manifest.Load(path, manifest.Options{InMemory: true})
			require.NoError(t, err)
			_, err = m.Build(t.Context(), nil, nil)
			require.ErrorContains(t, err, test.shown)
		})
	}
}

// A directory is not a module. The path of the root has no name that the plugin could get.
func TestAPluginThatIsADirectoryIsRefusedAtItsPlace(t *testing.T) {
	t.Parallel()
	for _, path := range []string{".", "..", "/"} {
		file := folder(t, [2]string{"agenthost.yaml", "model: {provider: scripted, echo: true}\nmiddleware: [{plugin: " + path + "}]\n"})
		m, err := manifest.Load(file, manifest.Options{InMemory: true})
		require.NoError(t, err)
		_, err = m.Build(t.Context(), nil, nil)
		require.ErrorContains(t, err, "agenthost.yaml:3:14: middleware[0]: ")
		require.ErrorContains(t, err, "is a directory")
	}
}
