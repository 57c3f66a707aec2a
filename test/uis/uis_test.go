//go:build linux

package uis_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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
	model := httptest.NewServer(slowModel(t))
	t.Cleanup(model.Close)
	server := serve(t, example, address, model.URL)
	start(t, exec.CommandContext(context.WithoutCancel(t.Context()), "node", "node_modules/next/dist/bin/next", "start", "-p", address[len("http://localhost:"):]),
		filepath.Join(built, page))
	require.Eventually(t, func() bool { return answers(t, address) }, patience, 100*time.Millisecond, "the page is not served")

	dir := filepath.Join(built, "driver")
	require.NoError(t, copyScripts())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	driver := exec.CommandContext(ctx, "node", script, address, server, model.URL)
	driver.Dir, driver.Env = dir, append(os.Environ(), "CHROMIUM="+chromium(t))
	said, err := driver.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Equal(t, "all done", strings.TrimSpace(string(said)))
}

// slowModel is a model with OpenAI's API. It begins each answer, and ends it when somebody asks for /go, which waits for an answer that has begun. A
// request for /left waits for one that was cut off.
func slowModel(t *testing.T) http.Handler {
	t.Helper()
	going, left := make(chan struct{}), make(chan struct{}, 10)
	take := func(from <-chan struct{}) http.HandlerFunc {
		return func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-from:
			case <-r.Context().Done():
			}
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		say := func(text string, end any) {
			piece := map[string]any{"id": "c", "object": "chat.completion.chunk", "choices": []any{
				map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": text}, "finish_reason": end},
			}}
			line, err := json.Marshal(piece)
			if err == nil {
				_, err = fmt.Fprintf(w, "data: %s\n\n", line)
			}
			if err == nil {
				err = http.NewResponseController(w).Flush()
			}
			if err != nil && r.Context().Err() == nil {
				t.Error(err)
			}
		}
		say("I begin", nil)
		select {
		case going <- struct{}{}:
			say(" and I end.", "stop")
			_, _ = io.WriteString(w, "data: [DONE]\n\n")
		case <-r.Context().Done():
			left <- struct{}{}
		}
	})
	mux.HandleFunc("POST /go", take(going))
	mux.HandleFunc("POST /left", take(left))
	return mux
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

// copyScripts copies the scripts to where the packages are that they import.
var copyScripts = sync.OnceValue(func() error {
	scripts, err := filepath.Glob(filepath.Join("testdata", "*.mjs"))
	for _, file := range scripts {
		text, reading := os.ReadFile(file)
		err = errors.Join(err, reading, os.WriteFile(filepath.Join(os.Getenv("AGENTHOST_UIS"), "driver", filepath.Base(file)), text, 0o600))
	}
	return err
})

// serve runs agenthost serve with a copy of an example and an agent with a slow model, for pages of an origin, and returns its address.
func serve(t *testing.T, example, origin, model string) string {
	t.Helper()
	dir := t.TempDir()
	for name, from := range map[string]string{"example": example, "slow": filepath.Join("testdata", "slow")} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(from)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pages.yaml"), fmt.Appendf(nil, "cors: {origins: [%q]}\n", origin), 0o600))
	return programs.Serve(t, dir, []string{"MODEL_URL=" + model}, "-f", "example", "-f", "slow", "--config", "pages.yaml", "--storage", "sqlite:agents.db").URL
}
