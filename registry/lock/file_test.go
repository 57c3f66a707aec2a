package lock_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/registry/lock"
)

var (
	sum      = strings.Repeat("0a", 32)
	accepted = lock.Plugin{
		Source: "ghcr.io/acme/redact:1.2", Manifest: "sha256:" + sum, SHA256: sum, Name: "acme/redact", Version: "1.2 \"β\"\n# no comment",
		Signer: "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
		Asks: lock.Asks{
			Hooks: []string{"before_model"}, Messages: []string{"before_model last 3"}, Capabilities: []string{"http.fetch", "kv.get"},
			Context: []string{"tenant"}, Reads: []string{"todos"}, Writes: []string{},
		},
	}
)

func TestPath(t *testing.T) {
	t.Parallel()
	require.Equal(t, "agenthost.lock", lock.Path("agenthost.yaml"))
	require.Equal(t, filepath.Join("a.b", "work.lock"), lock.Path(filepath.Join("a.b", "work.yml")))
}

func TestALockIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agenthost.lock")
	empty, err := lock.Read(path)
	require.NoError(t, err)
	require.Empty(t, empty.Plugins)
	require.NoError(t, empty.Write(path))
	empty, err = lock.Read(path)
	require.NoError(t, err)
	require.Empty(t, empty.Plugins)

	other := accepted
	other.Source, other.Manifest, other.Signer = "https://example.com/a.wasm", "", ""
	require.NoError(t, (&lock.File{Plugins: []lock.Plugin{other, accepted}}).Write(path))
	read, err := lock.Read(path)
	require.NoError(t, err)
	require.Equal(t, []lock.Plugin{accepted, other}, read.Plugins)
	require.Equal(t, &read.Plugins[0], read.Find(accepted.Source))
	require.Nil(t, read.Find("ghcr.io/acme/redact:1.3"))
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, read.Write(path))
	second, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))
}

func TestALockThatIsWrongIsRefused(t *testing.T) {
	t.Parallel()
	const good = "version: 1\nplugins:\n  - source: ghcr.io/a/b:1\n    name: b\n    version: \"1\"\n"
	for text, says := range map[string]string{
		"":                            "the file is empty",
		"version: 2\n":                "version",
		"version: 1\nplugin: []\n":    `unknown key "plugin"`,
		"\x00":                        "",
		good:                          "sha256",
		good + "    sha256: \"00\"\n": "sha256 is not 64 hexadecimal digits",
		good + "    sha256: " + sum + "\n    manifest: x\n":                                                                     "manifest is not sha256:",
		good + "    sha256: " + sum + "\n    signer: RWx\n":                                                                     "is not a public key",
		good + "    sha256: " + sum + "\n  - source: ghcr.io/a/b:1\n    name: b\n    version: \"1\"\n    sha256: " + sum + "\n": "listed twice",
		good + "    sha256: " + sum + "\n    asks: {fields: [x]}\n":                                                             `unknown key "fields"`,
	} {
		path := filepath.Join(t.TempDir(), "agenthost.lock")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := lock.Read(path)
		require.ErrorContains(t, err, says, text)
		require.ErrorContains(t, err, path)
	}
	dir := t.TempDir()
	_, err := lock.Read(dir)
	require.Error(t, err, "a directory is not a missing file")
}

// FuzzRead checks that a lock file that is read can be written, and says the same then.
func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	f.Add("version: 1\nplugins: []\n")
	path := filepath.Join(dir, "seed")
	if err := (&lock.File{Plugins: []lock.Plugin{accepted}}).Write(path); err != nil {
		f.Fatal(err)
	}
	seed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(seed))
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "agenthost.lock")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		read, err := lock.Read(path)
		if err != nil {
			return
		}
		require.NoError(t, read.Write(path))
		again, err := lock.Read(path)
		require.NoError(t, err)
		require.Len(t, again.Plugins, len(read.Plugins))
		for i := range read.Plugins {
			p := &read.Plugins[i]
			q := again.Find(p.Source)
			require.NotNil(t, q)
			require.Equal(t, []string{p.Manifest, p.SHA256, p.Signer, p.Name, p.Version}, []string{q.Manifest, q.SHA256, q.Signer, q.Name, q.Version})
			require.ElementsMatch(t, p.Asks.Hooks, q.Asks.Hooks)
			require.ElementsMatch(t, p.Asks.Messages, q.Asks.Messages)
			require.ElementsMatch(t, p.Asks.Capabilities, q.Asks.Capabilities)
			require.ElementsMatch(t, p.Asks.Context, q.Asks.Context)
		}
	})
}
