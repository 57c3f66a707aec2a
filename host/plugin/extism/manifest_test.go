//go:build !no_extism

package extism_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
)

func TestManifests(t *testing.T) {
	t.Parallel()
	g := describing(jsonDescription)
	module := g.export("before_model", i32(0)).bytes()
	sum := sha256.Sum256(module)
	hash := hex.EncodeToString(sum[:])
	data := base64.StdEncoding.EncodeToString(module)
	for _, test := range []struct{ name, manifest, says string }{
		{"a file", `{"wasm":[{"path":"module.wasm"}]}`, ""},
		{"a file with its hash", ` {"wasm":[{"path":"module.wasm","hash":"` + hash + `","name":"main"}]}`, ""},
		{"data", `{"wasm":[{"data":"` + data + `"}],"memory":{"max_var_bytes":0}}`, ""},
		{"another hash", `{"wasm":[{"path":"module.wasm","hash":"` + hash[1:] + `0"}]}`, "its module has the hash " + hash},
		{"a file that is not there", `{"wasm":[{"path":"other.wasm"}]}`, "other.wasm"},
		{"a URL", `{"wasm":[{"url":"https://example.com/module.wasm"}]}`, "download it"},
		{"two modules", `{"wasm":[{"path":"module.wasm","name":"a"},{"path":"module.wasm"}]}`, "it has 2 modules"},
		{"no module", `{"wasm":[]}`, "it has 0 modules"},
		{"nothing of a module", `{"wasm":[{}]}`, "invalid Wasm entry"},
		{"no JSON", `{"wasm":`, "unexpected end of JSON"},
		{"a config", `{"wasm":[{"path":"module.wasm"}],"config":{"a":"b"}}`, "move it to the plugin's config"},
		{"hosts", `{"wasm":[{"path":"module.wasm"}],"allowed_hosts":["*"]}`, "grant http.fetch"},
		{"paths", `{"wasm":[{"path":"module.wasm"}],"allowed_paths":{"/":"/"}}`, "no files"},
		{"a timeout", `{"wasm":[{"path":"module.wasm"}],"timeout_ms":1}`, "limits.deadline"},
		{"pages", `{"wasm":[{"path":"module.wasm"}],"memory":{"max_pages":9}}`, "limits.memory"},
		{"variables", `{"wasm":[{"path":"module.wasm"}],"memory":{"max_var_bytes":9}}`, "grant kv"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "module.wasm"), module, 0o600))
			file := filepath.Join(dir, "plugin.json")
			require.NoError(t, os.WriteFile(file, []byte(test.manifest), 0o600))
			_, _, err := run(t, plugin.Wasm{Path: file, SHA256: hash}) // the digest is the module's
			if test.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.says)
			require.ErrorContains(t, err, file)
		})
	}
}
