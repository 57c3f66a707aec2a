package registry_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/registry"
)

func support(files ...registry.AgentFile) *registry.Agent {
	return &registry.Agent{Manifest: "agenthost.yaml", Name: "support", Files: append([]registry.AgentFile{
		{Name: "agenthost.yaml", Content: []byte("apiVersion: agenthost/v1\n")},
		{Name: "skills/base/SKILL.md", Content: []byte("---\n")},
		{Name: "empty.txt"},
	}, files...)}
}

func TestAnAgentIsPulledAsItWasPushed(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	c := client(t, registry.Options{})
	ref := s.ref("acme/support:1")
	key := newKey(t)
	agent := support()
	agent.Key = &key
	pushed, err := c.PushAgent(t.Context(), ref, agent)
	require.NoError(t, err)
	require.Equal(t, 1, pushed.Signed)

	dir := filepath.Join(t.TempDir(), "new", "support")
	pulled, err := c.PullAgent(t.Context(), ref, dir, key.Public())
	require.NoError(t, err)
	require.Equal(t, "agenthost.yaml", pulled.Manifest)
	require.Equal(t, pushed.Digest, pulled.Digest)
	require.Equal(t, []string{"agenthost.yaml", "skills/base/SKILL.md", "empty.txt"}, pulled.Files)
	for _, f := range agent.Files {
		content, err := os.ReadFile(filepath.Join(dir, f.Name))
		require.NoError(t, err)
		require.Equal(t, string(f.Content), string(content))
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing else is left")

	_, err = c.PullAgent(t.Context(), ref, dir)
	require.ErrorContains(t, err, "is not empty; name another directory")
	require.ErrorIs(t, err, registry.ErrDirectory)
	for _, taken := range []string{"agenthost.yaml", "agenthost.yaml/below"} {
		_, err = c.PullAgent(t.Context(), ref, filepath.Join(dir, taken))
		require.ErrorIs(t, err, registry.ErrDirectory)
		require.ErrorContains(t, err, "a part of the path is a file, and not a directory; name another directory")
	}
	fresh := t.TempDir()
	_, err = c.PullAgent(t.Context(), ref, fresh, newKey(t).Public())
	require.ErrorIs(t, err, plugin.ErrSignature)
	entries, err = os.ReadDir(fresh)
	require.NoError(t, err)
	require.Empty(t, entries)
	_, err = c.PullAgent(t.Context(), ref, fresh)
	require.NoError(t, err, "an empty directory will do")

	_, err = c.PullPlugin(t.Context(), ref)
	require.ErrorContains(t, err, "use 'agenthost agent pull'")
	_, err = c.PushPlugin(t.Context(), s.ref("acme/redact:1"), &registry.Module{Bytes: module})
	require.NoError(t, err)
	_, err = c.PullAgent(t.Context(), s.ref("acme/redact:1"), filepath.Join(t.TempDir(), "x"))
	require.ErrorContains(t, err, "use 'agenthost plugin pull'")
}

// hostileNames are names that no file of an agent may have.
var hostileNames = []string{
	"", ".", "..", "../x", "/etc/passwd", "a/../../x", "a//b", "a/./b", "a/", `..\x`, `C:\x`, "C:x", ".env", ".git/hooks/pre-commit", "a/.ssh/key",
	"a\x00b", "a\nb", "\x1b[31m", "a\u202eb", strings.Repeat("a/", 600) + "a", "AGENTHOST.yaml", "agenthost.yaml/x",
}

// TestHostileAgents pulls agents whose files must not be written.
func TestHostileAgents(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	c := client(t, registry.Options{})
	config := s.put("x", "application/vnd.agenthost.agent.config.v1+json", []byte(`{"manifest": "agenthost.yaml"}`))
	file := func(name string) ocispec.Descriptor {
		d := s.put("x", "application/vnd.agenthost.agent.file.v1", []byte("text"))
		d.Annotations = map[string]string{"org.opencontainers.image.title": name}
		return d
	}
	parent := t.TempDir()
	pull := func(m ocispec.Manifest) error {
		s.putManifest("x", "1", m)
		_, err := c.PullAgent(t.Context(), s.ref("x:1"), filepath.Join(parent, "inner", "agent"))
		return err
	}
	require.NoError(t, pull(imageManifest(registry.AgentType, config, file("agenthost.yaml"))))
	require.NoError(t, os.RemoveAll(filepath.Join(parent, "inner")))
	for _, name := range hostileNames {
		require.Error(t, pull(imageManifest(registry.AgentType, config, file("agenthost.yaml"), file(name))), "%q", name)
		require.Error(t, func() error {
			_, err := c.PushAgent(t.Context(), s.ref("y:1"), support(registry.AgentFile{Name: name}))
			return err
		}(), "%q", name)
	}
	large, many := file("large"), make([]ocispec.Descriptor, registry.MaxAgentFiles+1)
	large.Size = registry.MaxAgentFile + 1
	for i := range many {
		many[i] = file("agenthost.yaml")
	}
	sum := []ocispec.Descriptor{file("agenthost.yaml")}
	for i := range 9 {
		d := file(string(rune('a' + i)))
		d.Size = registry.MaxAgentFile
		sum = append(sum, d)
	}
	wrong := file("wrong")
	wrong.Digest = descriptor("", []byte("other")).Digest
	for says, m := range map[string]ocispec.Manifest{
		"its manifest \"agenthost.yaml\" is not among its files": imageManifest(registry.AgentType, config, file("a")),
		"it has 1001 files":       imageManifest(registry.AgentType, config, many...),
		"large has 33554433 byte": imageManifest(registry.AgentType, config, file("agenthost.yaml"), large),
		"the agent has 301989892": imageManifest(registry.AgentType, config, sum...),
		"it does not exist":       imageManifest(registry.AgentType, config, file("agenthost.yaml"), wrong),
		"a layer has the type":    imageManifest(registry.AgentType, config, file("agenthost.yaml"), s.put("x", "application/wasm", module)),
		"that of an agent is":     imageManifest("application/other", config, file("agenthost.yaml")),
		"the manifest has the name \"a;reboot.yaml\"": imageManifest(registry.AgentType,
			s.put("x", "application/vnd.agenthost.agent.config.v1+json", []byte(`{"manifest": "a;reboot.yaml"}`)), file("a;reboot.yaml")),
		"not valid JSON": imageManifest(registry.AgentType, s.put("x", "application/vnd.agenthost.agent.config.v1+json", []byte("x")), file("agenthost.yaml")),
	} {
		require.ErrorContains(t, pull(m), says)
	}
	var left []string
	require.NoError(t, filepath.WalkDir(parent, func(path string, entry os.DirEntry, err error) error {
		if !entry.IsDir() {
			left = append(left, path)
		}
		return err
	}))
	require.Empty(t, left, "a pull that fails leaves nothing behind")
	require.NoFileExists(t, filepath.Join(parent, "x"))
}

func FuzzCheckName(f *testing.F) {
	for _, name := range append(hostileNames, "agenthost.yaml", "skills/base/SKILL.md") {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if registry.CheckName(name) != nil {
			return
		}
		require.True(t, filepath.IsLocal(name))
		require.Equal(t, name, filepath.ToSlash(filepath.Clean(name)))
		_, err := json.Marshal(name)
		require.NoError(t, err)
	})
}
