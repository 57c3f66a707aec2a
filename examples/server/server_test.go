// Package server_test runs what docs/server.md shows, in a copy of the example.
package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/test/pgtest"
	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

// server is the command serve in a copy of the example.
type server struct {
	t   *testing.T
	dir string
	run *programs.Server
}

func setup(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir()}
	for _, name := range []string{"agenthost.yaml", "rules.yaml", "notes/welcome.md"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(s.dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), text, 0o600))
	}
	return s
}

// start starts the server, and waits until it listens.
func (s *server) start(args ...string) {
	s.t.Helper()
	s.run = programs.Serve(s.t, s.dir, []string{"XDG_CACHE_HOME=" + filepath.Join(s.dir, "cache")}, args...)
}

// post sends a document and returns the answer.
func (s *server) post(path string, body map[string]any) (out map[string]any) {
	s.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(s.t, err)
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.run.URL+path, bytes.NewReader(text))
	require.NoError(s.t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, response.Body.Close()) }()
	answer, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, response.StatusCode, "%s", answer)
	require.NoError(s.t, json.Unmarshal(answer, &out))
	return out
}

// Someone asks, the server is killed, and the answer comes after it has started again: as the manifest keeps threads, and in PostgreSQL.
func TestAQuestionOutlivesTheServer(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]func(t *testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { t.Helper(); return []string{"--storage", pgtest.Address(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, args := setup(t), args(t)
			s.start(args...)
			thread, ok := s.post("/threads", map[string]any{})["thread_id"].(string)
			require.True(t, ok)
			asked := s.post("/threads/"+thread+"/runs/wait", map[string]any{
				"assistant_id": "helper", "input": map[string]any{"messages": []any{map[string]any{"role": "user", "content": "note shopping: tea"}}},
			})
			require.Contains(t, asked, "__interrupt__")
			require.Error(t, s.run.End(syscall.SIGKILL))
			require.NoFileExists(t, filepath.Join(s.dir, "notes", "shopping.md"))

			s.start(args...)
			done := s.post("/threads/"+thread+"/runs/wait", map[string]any{
				"assistant_id": "helper", "command": map[string]any{"resume": map[string]any{"decisions": []any{map[string]any{"type": "approve"}}}},
			})
			messages, ok := done["messages"].([]any)
			require.True(t, ok)
			require.Contains(t, messages[len(messages)-1], "content")
			written, err := os.ReadFile(filepath.Join(s.dir, "notes", "shopping.md"))
			require.NoError(t, err)
			require.Equal(t, "tea", string(written))
			require.NoError(t, s.run.End(syscall.SIGTERM), "a server that is told to stop succeeds")
		})
	}
}

// The scripts that docs/server.md shows work as they are. Each of them begins a thread of its own.
func TestTheClients(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"client.py", "protocol.py"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := testservers.PythonClient(t, name)
			s := setup(t)
			s.start()
			client := exec.CommandContext(t.Context(), command[0], command[1:]...)
			client.Env = append(os.Environ(), "AGENTHOST_URL="+s.run.URL, "NO_PROXY=*")
			said, err := client.CombinedOutput()
			require.NoError(t, err, "%s", said)
			require.Contains(t, string(said), "the agent asks: {'")
			require.True(t, strings.HasSuffix(strings.TrimSpace(string(said)), "It is written."), "%s", said)
		})
	}
}

func TestTheConfiguration(t *testing.T) {
	t.Parallel()
	keys := map[string]string{
		"ADA_KEY": "ada-0123456789abcdef", "OPERATOR_KEY": "op-0123456789abcdef", "DATABASE_URL": "postgres://localhost/agents",
		"ROBOT_KEY": "robot-0123456789abcdef",
	}
	lookup := func(name string) (string, bool) { value, ok := keys[name]; return value, ok }
	c, err := config.Load("serve.yaml", config.Options{LookupEnv: lookup})
	require.NoError(t, err)
	require.True(t, c.Listen.Public())
	require.Len(t, c.Auth.Keys, 2)

	text, err := os.ReadFile("../../docs/server.md")
	require.NoError(t, err)
	for i, block := range strings.Split(string(text), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		_, err := config.Parse("docs/server.md", []byte(block), config.Options{LookupEnv: lookup})
		require.NoError(t, err, "block %d", i+1)
	}
}
