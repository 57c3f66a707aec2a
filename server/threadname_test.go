package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/internal/doortest"
)

// The same name is the same thread, whichever door a client takes.
func TestOneNameIsOneThread(t *testing.T) {
	t.Parallel()
	url := echoing(t)
	id := uuid.NewString()
	for _, names := range [][3]string{{"plans for Oslo", "plans for Oslo", "plans for Oslo"}, {id, "conv_" + id, "conv_" + id}} {
		require.NotEmpty(t, throughAGUI(t, url, names[0], "one"))
		thread := throughOpenAI(t, url, names[1], "two")
		require.Equal(t, thread, throughMCP(t, url, names[2], "three"))
		require.NotEmpty(t, throughAGUI(t, url, names[0], "four"))

		text := ask(t, http.MethodGet, url+"/threads/"+thread+"/state", "", nil)
		var state struct {
			Values struct {
				Messages []struct {
					Type    string `json:"type"`
					Content string `json:"content"`
				} `json:"messages"`
			} `json:"values"`
		}
		require.NoError(t, json.Unmarshal([]byte(text), &state), text)
		var said []string
		for _, m := range state.Values.Messages {
			if m.Type == "human" {
				said = append(said, m.Content)
			}
		}
		require.Equal(t, []string{"one", "two", "three", "four"}, said)
	}
}

// echoing starts a server with an agent that repeats what it is told.
func echoing(t *testing.T) (url string) {
	t.Helper()
	return doortest.Serve(t, "{}", serverWithEcho(t)).URL
}

// serverWithEcho configures a server with an agent that repeats what it is told.
func serverWithEcho(t *testing.T) server.Config {
	t.Helper()
	rules, err := scripted.NewRules(scripted.Rule{When: "(?s)^(.*)$", Say: "You said: $1"})
	require.NoError(t, err)
	threads := memory.New()
	agent, err := host.New(host.Config{Name: "echo", Model: rules, Checkpointer: threads})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return server.Config{Agents: map[string]runs.Agent{"echo": {Agent: agent, Threads: threads}}}
}

// ask sends a request that must succeed, and returns the body of the answer.
func ask(t *testing.T, method, url, body string, seen func(http.Header), header ...string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", text)
	if seen != nil {
		seen(response.Header)
	}
	return string(text)
}

func throughAGUI(t *testing.T, url, thread, text string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"threadId": thread, "runId": uuid.NewString(), "protocolVersion": "1.0", "state": map[string]any{}, "tools": []any{}, "context": []any{},
		"forwardedProps": map[string]any{}, "messages": []any{map[string]any{"id": uuid.NewString(), "role": "user", "content": text}},
	})
	require.NoError(t, err)
	stream := ask(t, http.MethodPost, url+"/agui/echo", string(body), nil, "Accept", "text/event-stream")
	require.Contains(t, stream, "RUN_FINISHED")
	return stream
}

// throughOpenAI returns the id of the thread.
func throughOpenAI(t *testing.T, url, thread, text string) (id string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "echo", "store": true, "messages": []any{map[string]any{"role": "user", "content": text}}})
	require.NoError(t, err)
	ask(t, http.MethodPost, url+"/v1/chat/completions", string(body), func(h http.Header) { id = h.Get("X-Agenthost-Thread") }, "X-Agenthost-Thread", thread)
	return id
}

// throughMCP returns the id of the thread.
func throughMCP(t *testing.T, url, thread, text string) string {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url + "/mcp"}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"prompt": text, "thread": thread}})
	require.NoError(t, err)
	require.False(t, result.IsError, "%v", result.Content)
	id, _ := result.Meta["agenthost/thread"].(string)
	return id
}
