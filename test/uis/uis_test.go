//go:build linux

package uis_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

// patience is how long a page may take.
const patience = 2 * time.Minute

func TestAgentChatUI(t *testing.T) {
	t.Parallel()
	try(t, "agent-chat-ui", filepath.Join("..", "..", "examples", "server"), "agentchat.mjs")
}

func TestDeepAgentsUI(t *testing.T) {
	t.Parallel()
	try(t, "deep-agents-ui", filepath.Join("..", "..", "examples", "deep-agent"), "deepagents.mjs")
}

// try serves an example and a page, and runs a script that uses the page.
func try(t *testing.T, page, example, script string) {
	t.Helper()
	built := os.Getenv("AGENTHOST_UIS")
	if built == "" {
		t.Skip("the pages are not there; make uis builds them and runs this test")
	}
	address := "http://localhost:" + testservers.FreePort(t)
	server := serve(t, example, address)
	start(t, exec.CommandContext(context.WithoutCancel(t.Context()), "node", "node_modules/next/dist/bin/next", "start", "-p", address[len("http://localhost:"):]),
		filepath.Join(built, page))
	require.Eventually(t, func() bool { return answers(t, address) }, patience, 100*time.Millisecond, "the page is not served")

	dir := filepath.Join(built, "driver")
	copied, err := filepath.Glob(filepath.Join("testdata", "*.mjs"))
	require.NoError(t, err)
	for _, file := range copied {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o600))
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	driver := exec.CommandContext(ctx, "node", script, address, server)
	driver.Dir, driver.Env = dir, append(os.Environ(), "CHROMIUM="+chromium(t))
	said, err := driver.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Equal(t, "all done", strings.TrimSpace(string(said)))
}

// chromium returns the path of the browser.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	require.Fail(t, "there is no Chromium; install Debian's package chromium")
	return ""
}

// answers reports whether a page is there.
func answers(t *testing.T, address string) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	require.NoError(t, response.Body.Close())
	return response.StatusCode == http.StatusOK
}

// start starts a program, which is stopped when the test ends.
func start(t *testing.T, program *exec.Cmd, dir string) {
	t.Helper()
	program.Dir = dir
	require.NoError(t, program.Start())
	t.Cleanup(func() {
		require.NoError(t, program.Process.Kill())
		_ = program.Wait() // it was killed
	})
}

// serve runs agenthost serve with a copy of an example for pages of an origin, and returns its address.
func serve(t *testing.T, example, origin string) string {
	t.Helper()
	bin, err := programs.Build("cmd/agenthost")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(example)))
	config := fmt.Sprintf("listen: 127.0.0.1:0\ncors: {origins: [%q]}\n", origin)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pages.yaml"), []byte(config), 0o600))
	server := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(bin, "agenthost"), "serve", "--config", "pages.yaml")
	log, err := server.StderrPipe()
	require.NoError(t, err)
	start(t, server, dir)
	lines := bufio.NewScanner(log)
	var said strings.Builder
	for lines.Scan() {
		var line struct {
			Msg string `json:"msg"`
			At  string `json:"at"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			go func() { // a full pipe would stop it
				for lines.Scan() {
				}
			}()
			return line.At
		}
		said.WriteString(lines.Text() + "\n")
	}
	require.Fail(t, "the server has not started", said.String())
	return ""
}
