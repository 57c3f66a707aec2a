package openai_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/clientscript"
)

// Open WebUI lists the agents as models, and shows an answer word by word.
func TestOpenWebUI(t *testing.T) {
	t.Parallel()
	program := os.Getenv("AGENTHOST_OPEN_WEBUI")
	if program == "" {
		t.Skip("Open WebUI is not there; make open-webui installs it and runs this test")
	}
	page := startOpenWebUI(t, program, serve(t, clientscript.Tools(t, nil), "agent"))
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	token := ""
	send := func(method, path string, body any) io.ReadCloser {
		text, err := json.Marshal(body)
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(t.Context(), method, page+path, strings.NewReader(string(text)))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := client.Do(request)
		require.NoError(t, err)
		t.Cleanup(func() { _ = response.Body.Close() })
		if response.StatusCode != http.StatusOK {
			said, _ := io.ReadAll(response.Body)
			require.Equal(t, http.StatusOK, response.StatusCode, "%s %s: %s", method, path, said)
		}
		return response.Body
	}
	var person struct {
		Token string `json:"token"`
	}
	require.NoError(t, json.NewDecoder(send(http.MethodPost, "/api/v1/auths/signin", map[string]string{"email": "", "password": ""})).Decode(&person))
	token = person.Token

	var models struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	require.NoError(t, json.NewDecoder(send(http.MethodGet, "/api/models", nil)).Decode(&models))
	ids := map[string]bool{}
	for _, m := range models.Data {
		ids[m.ID] = true
	}
	require.True(t, ids["agent"] && ids["structured"], "%v", ids)

	lines := bufio.NewScanner(send(http.MethodPost, "/api/chat/completions", map[string]any{
		"model": "agent", "stream": true, "messages": []any{map[string]string{"role": "user", "content": "weather Bern"}},
	}))
	var said strings.Builder
	pieces := 0
	for lines.Scan() {
		data, found := strings.CutPrefix(lines.Text(), "data: ")
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content string `json:"content"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if !found || json.Unmarshal([]byte(data), &chunk) != nil || len(chunk.Choices) == 0 {
			continue
		}
		said.WriteString(chunk.Choices[0].Delta.Content)
		pieces++
	}
	require.NoError(t, lines.Err())
	require.Equal(t, "I look.\n\nThe tool said: sunny in Bern", said.String())
	require.Greater(t, pieces, 5)
}

// startOpenWebUI starts Open WebUI with a server of agents, and returns its address.
func startOpenWebUI(t *testing.T, program, agents string) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := listener.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // it listens on TCP
	require.NoError(t, listener.Close())
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	process := exec.CommandContext(ctx, program, "serve", "--host", "127.0.0.1", "--port", strconv.Itoa(port))
	process.Dir, process.Stdout, process.Stderr = dir, log, log
	process.Env = append(os.Environ(), "DATA_DIR="+dir, "OPENAI_API_BASE_URL="+agents+"/v1", "OPENAI_API_KEY="+key, "WEBUI_AUTH=False",
		"ENABLE_OLLAMA_API=False", "OFFLINE_MODE=True", "HF_HUB_OFFLINE=1", "WEBUI_SECRET_KEY=test", "SCARF_NO_ANALYTICS=true", "DO_NOT_TRACK=true",
		"ANONYMIZED_TELEMETRY=false", "NO_PROXY=*")
	require.NoError(t, process.Start())
	t.Cleanup(func() {
		stop()
		_ = process.Wait() // it was killed
		_ = log.Close()
	})
	page := "http://127.0.0.1:" + strconv.Itoa(port)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	require.Eventually(t, func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page+"/health", http.NoBody)
		require.NoError(t, err)
		response, err := client.Do(request)
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	}, 5*time.Minute, time.Second, "it starts slowly: see %s", log.Name())
	return page
}
