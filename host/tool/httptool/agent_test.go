package httptool_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/httptool"
)

// agentWith is an agent whose model calls the tool x so often, with these arguments, and ends.
func agentWith(t *testing.T, made host.Tool, config host.ToolCallConfig, args ...map[string]any) *host.Agent {
	t.Helper()
	calls := make([]abi.ToolCall, len(args))
	for i := range args {
		calls[i] = abi.Call(string(rune('a'+i)), "x", args[i])
	}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.CallTools(calls...), scripted.Say("done")), Tools: []host.Tool{made}, ToolCalls: config,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

func TestEveryExecutionHasItsKey(t *testing.T) {
	t.Parallel()
	keys := make(chan string, 4)
	made := newTool(t, httptool.Config{Method: "POST", URL: serve(t, func(_ http.ResponseWriter, r *http.Request) { keys <- r.Header.Get("Idempotency-Key") })})
	_, err := agentWith(t, made, host.ToolCallConfig{}, nil, nil).Run(t.Context(), host.Input{})
	require.NoError(t, err)
	first, second := <-keys, <-keys
	require.Len(t, first, 32)
	require.NotEqual(t, first, second)

	own := newTool(t, httptool.Config{
		URL:     serve(t, func(_ http.ResponseWriter, r *http.Request) { keys <- r.Header.Get("Idempotency-Key") }),
		Headers: map[string]string{"idempotency-key": "mine"},
	})
	_, err = agentWith(t, own, host.ToolCallConfig{}, nil).Run(t.Context(), host.Input{})
	require.NoError(t, err)
	require.Equal(t, "mine", <-keys)
}

func TestArgumentsThatDoNotFitAreNotSent(t *testing.T) {
	t.Parallel()
	made := newTool(t, httptool.Config{
		URL: serve(t, unreachable(t)) + "/{n}", Parameters: raw(t, `{"type":"object","properties":{"n":{"type":"integer","maximum":9}},"required":["n"]}`),
	})
	agent := agentWith(t, made, host.ToolCallConfig{}, nil, map[string]any{"n": "x"}, map[string]any{"n": 10})
	result, err := agent.Run(t.Context(), host.Input{})
	require.NoError(t, err)
	for i, says := range []string{"n: Field required", `/properties/n: type: x has type "string", want "integer"`, "/properties/n: maximum: 10"} {
		answer := result.Messages.At(1 + i)
		require.True(t, answer.Failed())
		require.Contains(t, answer.Content.Text(), says)
	}
	noObject, err := made.Call(t.Context(), nil, &abi.ToolCall{Args: raw(t, `"x"`)})
	require.NoError(t, err)
	require.Equal(t, "Error: the arguments are not an object", noObject.Content.Text())
}

// stuck is a handler that answers when the test has ended; began hears of each request.
func stuck(t *testing.T) (handler http.HandlerFunc, began <-chan struct{}) {
	t.Helper()
	heard, end := make(chan struct{}, 8), make(chan struct{})
	base := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		heard <- struct{}{}
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}
	t.Cleanup(func() { close(end) })
	return base, heard
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	handler, _ := stuck(t)
	made := newTool(t, httptool.Config{URL: serve(t, handler), Timeout: 20 * time.Millisecond})
	require.Equal(t, "Error: there was no complete response within 20ms", fails(t, made, nil))
}

func TestTheAgentsTimeoutIsTheHosts(t *testing.T) {
	t.Parallel()
	handler, _ := stuck(t)
	made := newTool(t, httptool.Config{URL: serve(t, handler)})
	result, err := agentWith(t, made, host.ToolCallConfig{ToolTimeout: 20 * time.Millisecond}, nil).Run(t.Context(), host.Input{})
	require.NoError(t, err)
	answer := result.Messages.At(1)
	require.Equal(t, "Error: tool 'x' timed out after 20ms.", answer.Content.Text())
}

func TestCancellationEndsTheRun(t *testing.T) {
	t.Parallel()
	handler, began := stuck(t)
	made := newTool(t, httptool.Config{URL: serve(t, handler)})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	_, err := agentWith(t, made, host.ToolCallConfig{}, nil).Run(ctx, host.Input{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestConnectionsThatBreakAreAnswers(t *testing.T) {
	t.Parallel()
	made := newTool(t, httptool.Config{URL: serve(t, func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = connection.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"))
			_ = connection.Close()
		}
	})})
	require.Equal(t, "Error: the connection ended before the response did", fails(t, made, nil))
	require.Equal(t, "Error: the host refused the connection", fails(t, newTool(t, httptool.Config{URL: "http://127.0.0.1:1"}), nil))
	long := newTool(t, httptool.Config{URL: serve(t, unreachable(t)), Query: map[string]string{"q": "{q}"}})
	require.Equal(t, "Error: the URL is longer than 8192 bytes", fails(t, long, map[string]any{"q": strings.Repeat("a", 9000)}))
	body := newTool(t, httptool.Config{Method: "POST", URL: serve(t, unreachable(t)), Body: "{q}"})
	require.Contains(t, fails(t, body, map[string]any{"q": strings.Repeat("a", 1<<20)}), "the body of the request has 1048578 bytes; the limit is 1048576")
}

func TestAToolThatIsClosed(t *testing.T) {
	t.Parallel()
	base := serve(t, unreachable(t))
	for _, method := range []string{"GET", "POST"} {
		made, err := httptool.New(httptool.Config{Name: "x", Method: method, URL: base})
		require.NoError(t, err)
		require.NoError(t, made.Close())
		require.Equal(t, "Error: the client is closed", fails(t, made, nil))
	}
}
