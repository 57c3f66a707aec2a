package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/registry/cache"
	"github.com/agenthost/agenthost/registry/lock"
)

// TestPluginsThatAreNoFiles loads plugins of a registry and of a URL by the lock file and the cache, without a network.
func TestPluginsThatAreNoFiles(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("../plugins/redact/redact.wasm")
	require.NoError(t, err)
	signer, err := minisig.Generate()
	require.NoError(t, err)
	other, err := minisig.Generate()
	require.NoError(t, err)
	key := signer.Public().String()
	have, none := cache.Open(t.TempDir()), cache.Open(t.TempDir())
	sum, err := have.Put(code)
	require.NoError(t, err)
	signature, err := signer.Sign(code, "x")
	require.NoError(t, err)
	require.NoError(t, have.PutSignature(sum, signer.Public(), signature))
	const ref, address = "registry.example/acme/redact:1", "https://files.example/redact.wasm?v=1"
	digest := "sha256:" + strings.Repeat("0a", 32)
	asks := lock.Asks{Hooks: []string{"before_agent", "before_model", "after_model", "after_agent", "wrap_model_call", "wrap_tool_call"}, Messages: []string{"before_model new"}}
	accepted := lock.Plugin{Source: ref, Manifest: digest, SHA256: sum, Signer: key, Name: "redact", Version: "1", Asks: asks}
	build := func(source string, c *cache.Cache, locked ...lock.Plugin) (*manifest.Manifest, error) {
		path := setup(t, echo+"middleware:\n  - plugin: "+source+"\n", nil)
		if locked != nil {
			require.NoError(t, (&lock.File{Plugins: locked}).Write(filepath.Join(filepath.Dir(path), "agenthost.lock")))
		}
		m, err := manifest.Load(path, manifest.Options{Cache: c})
		if err != nil {
			return nil, err
		}
		agent, err := m.Build(t.Context(), nil, nil)
		if err != nil {
			return m, err
		}
		return m, agent.Close()
	}
	byURL := accepted
	byURL.Source, byURL.Manifest = address, ""
	for _, source := range []string{
		"{oci: '" + ref + "'}", "{oci: '" + ref + "', minisign: " + key + "}", "{oci: '" + ref + "', sha256: " + sum + "}",
		"{https: '" + address + "', sha256: " + strings.ToUpper(sum) + "}", "{https: '" + address + "', sha256: " + sum + ", minisign: [" + other.Public().String() + ", " + key + "]}",
	} {
		m, err := build(source, have, byURL, accepted)
		require.NoError(t, err, source)
		require.Len(t, m.Plugins(), 1)
		require.Equal(t, "redact", m.Plugins()[0].Name())
		remote := m.RemotePlugins()
		require.Len(t, remote, 1)
		require.NoError(t, remote[0].Err)
		require.Equal(t, "redact", remote[0].Name)
		require.Equal(t, strings.HasPrefix(remote[0].Source, "https:"), remote[0].IsURL)
	}
	// A reference with a digest.
	pinned := accepted
	pinned.Source = ref + "@" + digest
	_, err = build("{oci: '"+pinned.Source+"'}", have, pinned)
	require.NoError(t, err)
	wrong := pinned
	wrong.Manifest = "sha256:" + strings.Repeat("0b", 32)
	_, err = build("{oci: '"+pinned.Source+"'}", have, wrong)
	require.ErrorContains(t, err, "it has another digest than the manifest demands; run 'agenthost plugin lock -f ")

	plain := "{oci: '" + ref + "'}"
	for says, err := range map[string]error{
		"is not in ": second(build(plain, have)),
		", which says what may be run; run 'agenthost plugin lock -f ":                                                second(build(plain, have, byURL)),
		"the module of " + ref + " is not on this machine, and a run uses no network; run 'agenthost plugin pull -f ": second(build(plain, none, accepted)),
		"it has another sha256 than the manifest demands":                                                             second(build("{oci: '"+ref+"', sha256: "+strings.Repeat("0a", 32)+"}", have, accepted)),
		"it has no signer that the manifest trusts":                                                                   second(build("{oci: '"+ref+"', minisign: "+other.Public().String()+"}", have, accepted)),
		"a plugin needs exactly one of the keys path, oci and https; this one has 2":                                  second(build("{oci: '"+ref+"', path: x.wasm}", have, accepted)),
		"a plugin needs exactly one of the keys path, oci and https; this one has 0":                                  second(build("{sha256: "+sum+"}", have, accepted)),
		"a plugin with https needs sha256":                                                                            second(build("{https: '"+address+"'}", have, accepted)),
		"does not begin with https://":                                                                                second(build("{https: 'http://files.example/x.wasm', sha256: "+sum+"}", have, accepted)),
		"it has no tag; a reference looks like ghcr.io/acme/redact:1.2":                                               second(build("{oci: registry.example/redact}", have, accepted)),
		"leave out oci://, because the key says it":                                                                   second(build("{oci: 'oci://"+ref+"'}", have, accepted)),
	} {
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, "middleware[0]")
	}

	// Without the signature in the cache, the module alone is not enough.
	unsigned := cache.Open(t.TempDir())
	_, err = unsigned.Put(code)
	require.NoError(t, err)
	_, err = build("{oci: '"+ref+"', minisign: "+key+"}", unsigned, accepted)
	require.ErrorContains(t, err, "the signature of "+ref+" is not on this machine")
	require.NoError(t, unsigned.PutSignature(sum, signer.Public(), []byte("nonsense")))
	_, err = build("{oci: '"+ref+"', minisign: "+key+"}", unsigned, accepted)
	require.ErrorIs(t, err, plugin.ErrSignature)
	require.ErrorContains(t, err, "'agenthost plugin pull' fetches it again")

	// What the lock file does not permit is refused when the plugin is loaded.
	less := accepted
	less.Asks.Hooks = nil
	_, err = build(plain, have, less)
	require.ErrorIs(t, err, plugin.ErrAsksMore)
	require.ErrorContains(t, err, "'agenthost plugin lock' shows the difference")
	less = accepted
	less.Asks.Messages = []string{"before_model last 5"}
	_, err = build(plain, have, less)
	require.ErrorIs(t, err, plugin.ErrAsksMore)
	require.ErrorContains(t, err, "messages before_model new")

	// A damaged module is found.
	require.NoError(t, os.WriteFile(have.Path(sum), []byte("x"), 0o600))
	_, err = build(plain, have, accepted)
	require.ErrorContains(t, err, "'agenthost plugin pull' fetches it again")

	// A lock file that cannot be read is an error, and not a missing one.
	path := setup(t, echo+"middleware:\n  - plugin: "+plain+"\n", map[string]string{"agenthost.lock": "version: 9\n"})
	m, err := manifest.Load(path, manifest.Options{Cache: have})
	require.NoError(t, err, "other commands need no plugins")
	_, err = m.Build(t.Context(), nil, nil)
	require.ErrorContains(t, err, "agenthost.lock:1:10: version: must be at most 1")
}

func second[T any](_ T, err error) error { return err }

func TestFilesOfAnAgent(t *testing.T) {
	t.Parallel()
	path := setup(t, `apiVersion: agenthost/v1
env_file: settings.env
model: {provider: scripted, rules: rules.yaml}
models: {small: {provider: scripted, echo: true}}
system_prompt: {file: prompts/system.md}
context_schema: context.json
response_format: {schemas: [a.json, {type: object}]}
tools:
  - agent: {file: worker.yaml, name: worker, description: Works.}
  - agent: {file: worker.yaml, name: again, description: Works.}
middleware:
  - plugin: {path: redact.wasm, minisign: RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3}
  - plugin: {oci: "registry.example/redact:1"}
  - skills: {sources: [/base, {path: /own, label: Own}], root: skills}
  - memory: {sources: [/AGENTS.md], root: .}
  - memory: {sources: [/AGENTS.md]}
    id: state
  - subagents:
      agents:
        - {name: a, description: A., file: sub.yaml}
        - {name: b, description: B., system_prompt: x, middleware: [{plugin: inner.ts}], tools: [{agent: {file: worker.yaml, name: w, description: W.}}]}
`, map[string]string{
		"settings.env": "A=b\n", "worker.yaml": head + "model: {provider: scripted, echo: true}\nsystem_prompt: {file: worker.md}\ntools: [{agent: {file: agenthost.yaml, name: x, description: X.}}]\n",
		"sub.yaml": head + "model: {provider: scripted, echo: true}\n", "sub.lock": "version: 1\n",
	})
	m, err := manifest.Load(path, manifest.Options{})
	require.NoError(t, err)
	files, err := m.Files()
	require.NoError(t, err)
	dir := filepath.Dir(path)
	relative := func(paths []string) []string {
		out := make([]string, len(paths))
		for i := range paths {
			out[i], err = filepath.Rel(dir, paths[i])
			require.NoError(t, err)
		}
		return out
	}
	require.Equal(t, []string{"agenthost.yaml", "sub.yaml", "worker.yaml"}, relative(files.Manifests))
	require.Equal(t, []string{"sub.lock"}, relative(files.Locks))
	require.Equal(t, []string{"prompts/system.md", "context.json", "a.json", "rules.yaml", "redact.wasm.minisig", "worker.md"}, relative(files.Texts))
	require.Equal(t, []string{"redact.wasm", "inner.ts"}, relative(files.Plugins))
	require.Equal(t, []string{"skills/base", "skills/own", "AGENTS.md"}, relative(files.Folders))
	require.Equal(t, []string{"settings.env"}, relative(files.Secrets))
}
