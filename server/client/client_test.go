package client_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/server/client"
)

// A server may be below a path with escaped characters.
func TestTheBaseKeepsItsEscapes(t *testing.T) {
	t.Parallel()
	address, got := serve(t, reply{body: object{"thread_id": "t1"}})
	_, err := connect(t, client.Config{URL: address + "/a%2Fb"}).Thread(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, []string{"GET /a%2Fb/threads/t1"}, got.all())
}

func TestRequestsOfTheAPI(t *testing.T) {
	t.Parallel()
	address, got := serve(t,
		reply{body: object{"thread_id": "t1", "status": "idle", "metadata": object{}}},
		reply{body: object{"run_id": "r1", "thread_id": "t1", "status": "pending"}},
		reply{body: object{"run_id": "r1", "status": "error", "error": "it broke"}},
		reply{body: []any{object{"run_id": "r2", "status": "success"}}},
		reply{body: object{
			"thread_id": "t1", "status": "interrupted", "values": object{"n": 1},
			"interrupts": object{"task": []any{object{"id": "i1", "value": "sure?"}}},
		}},
		reply{body: object{}},
	)
	c := connect(t, client.Config{URL: address + "/base/", Headers: map[string]string{"x-api-key": "secret-key"}})
	thread, err := c.CreateThread(t.Context(), wire.Map{{Key: "subagent_name", Value: wire.String("a")}})
	require.NoError(t, err)
	require.Equal(t, "t1", thread.ID)
	input := wire.Map{{Key: "messages", Value: wire.Raw{0x90}}}
	run, err := c.CreateRun(t.Context(), "t1", &client.RunRequest{
		Assistant: "research", Input: input, Config: wire.Map{{Key: "configurable", Value: wire.Map{}.Raw()}},
		MultitaskStrategy: client.StrategyEnqueue, Webhook: "https://example.com/done",
	})
	require.NoError(t, err)
	require.Equal(t, &client.Run{ID: "r1", Status: client.Pending}, run)
	run, err = c.Run(t.Context(), "t1", "r1")
	require.NoError(t, err)
	require.Equal(t, &client.Run{ID: "r1", Status: client.Failed, Error: "it broke"}, run)
	run, err = c.LatestRun(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, "r2", run.ID)
	thread, err = c.Thread(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, client.ThreadInterrupted, thread.Status)
	require.Equal(t, []client.Interrupt{{ID: "i1", Value: wire.String("sure?")}}, thread.Interrupts)
	require.JSONEq(t, `{"n": 1}`, thread.Values.JSON())
	require.NoError(t, c.CancelRun(t.Context(), "t1", "r1"))
	require.Equal(t, []string{
		`POST /base/threads {"metadata":{"subagent_name":"a"}}`,
		`POST /base/threads/t1/runs {"assistant_id":"research","config":{"configurable":{}},"input":{"messages":[]},` +
			`"multitask_strategy":"enqueue","webhook":"https://example.com/done"}`,
		"GET /base/threads/t1/runs/r1", "GET /base/threads/t1/runs?limit=1", "GET /base/threads/t1",
		"POST /base/threads/t1/runs/r1/cancel?action=interrupt&wait=0",
	}, got.all())
	for _, header := range got.headers {
		require.Equal(t, "secret-key", header.Get("X-Api-Key"))
	}
}

func TestAThreadWithoutRuns(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, reply{body: []any{}})
	run, err := connect(t, client.Config{URL: address}).LatestRun(t.Context(), "t1")
	require.NoError(t, err)
	require.Nil(t, run)
}

func TestRefusalsSayWhatTheServerSays(t *testing.T) {
	t.Parallel()
	for says, answer := range map[string]reply{
		"Thread not found":     {status: 404, body: object{"detail": "Thread not found"}},
		"first, of three":      {status: 400, body: object{"detail": "second", "message": "first, of three", "error": "third"}},
		`[{"loc":["body"]}]`:   {status: 422, body: object{"detail": []any{object{"loc": []any{"body"}}}}},
		"the status 403 Forbi": {status: 403, body: "<html>no</html>"},
		"one two":              {status: 400, body: object{"error": "one\ntwo"}},
		"bad key ***":          {status: 401, body: object{"detail": "bad key very-secret-value"}},
	} {
		address, got := serve(t, answer)
		c := connect(t, client.Config{URL: address, Headers: map[string]string{"Authorization": "Bearer very-secret-value"}})
		_, err := c.Run(t.Context(), "t1", "r1")
		var refused *client.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, answer.status, refused.Status)
		require.ErrorContains(t, err, says)
		require.Len(t, got.all(), 1, "a refusal is final")
	}
}

// Answers of a hostile server are errors of bounded size.
func TestAnswersThatAreNotUsable(t *testing.T) {
	t.Parallel()
	for says, body := range map[string]any{
		"json: ":                   "no JSON",
		"no run_id":                object{"status": "running"},
		"1 to 128 letters":         object{"run_id": "../../admin", "status": "running"},
		"no status in small":       object{"run_id": "r", "status": "rm -rf"},
		"no status in small lette": object{"run_id": "r", "status": strings.Repeat("a", 33)},
		"longer than 16777216":     `{"run_id": "` + strings.Repeat("a", 16<<20) + `"}`,
		"json: as":                 strings.Repeat("[", 100) + strings.Repeat("]", 100),
	} {
		address, _ := serve(t, reply{body: body})
		_, err := connect(t, client.Config{URL: address}).Run(t.Context(), "t", "r")
		require.ErrorContains(t, err, says)
		require.Less(t, len(err.Error()), 1000)
	}
	address, _ := serve(t, reply{body: object{"not": "a list"}})
	_, err := connect(t, client.Config{URL: address}).LatestRun(t.Context(), "t")
	require.ErrorContains(t, err, "not a list of runs")
}

// Ids come from servers and from the state of threads. They must not lead to another resource.
func TestIDsDoNotChangeThePath(t *testing.T) {
	t.Parallel()
	address, got := serve(t, reply{body: object{}})
	c := connect(t, client.Config{URL: address})
	for _, id := range []string{"", "..", ".", "a/b", "a?b", "a%2fb", "ü", strings.Repeat("a", 129)} {
		_, err := c.Run(t.Context(), id, "r")
		require.ErrorContains(t, err, "cannot be an id")
		_, err = c.Run(t.Context(), "t", id)
		require.ErrorContains(t, err, "cannot be an id")
	}
	require.Empty(t, got.all())
}

func TestReadsAreRepeated(t *testing.T) {
	t.Parallel()
	run := reply{body: object{"run_id": "r", "status": "running"}}
	for _, status := range []int{429, 502, 503, 504} {
		address, got := serve(t, reply{status: status, body: ""}, run)
		_, err := connect(t, client.Config{URL: address}).Run(t.Context(), "t", "r")
		require.NoError(t, err)
		require.Len(t, got.all(), 2)
	}
	address, got := serve(t, reply{status: 503, body: ""})
	_, err := connect(t, client.Config{URL: address}).Run(t.Context(), "t", "r")
	require.ErrorContains(t, err, "the status 503 Service Unavailable")
	require.Len(t, got.all(), 3)
}

// A run that was perhaps started is not started again.
func TestWritesAreRepeatedOnlyIfRefused(t *testing.T) {
	t.Parallel()
	run := reply{body: object{"run_id": "r", "status": "pending"}}
	for status, requests := range map[int]int{429: 2, 500: 1, 502: 1, 503: 1, 504: 1} {
		address, got := serve(t, reply{status: status, body: ""}, run)
		_, err := connect(t, client.Config{URL: address}).CreateRun(t.Context(), "t", &client.RunRequest{Assistant: "a"})
		require.Equal(t, status == 429, err == nil, status)
		require.Len(t, got.all(), requests, status)
	}
	address, got := serve(t, reply{status: 429, body: "", header: map[string]string{"Retry-After": "60"}})
	_, err := connect(t, client.Config{URL: address}).CreateRun(t.Context(), "t", &client.RunRequest{Assistant: "a"})
	require.ErrorContains(t, err, "429")
	require.Len(t, got.all(), 1, "a minute is too long to wait")
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	other, elsewhere := serve(t, reply{body: object{"run_id": "r", "status": "running"}})
	address, _ := serve(t, reply{status: 307, body: "", header: map[string]string{"Location": other + "/threads/t/runs/r"}})
	c := connect(t, client.Config{URL: address, Headers: map[string]string{"x-api-key": "k"}})
	_, err := c.Run(t.Context(), "t", "r")
	require.ErrorContains(t, err, "redirects to another server")
	require.Empty(t, elsewhere.all())

	address, _ = serve(t, reply{status: 302, body: "", header: map[string]string{"Location": "/login"}})
	_, err = connect(t, client.Config{URL: address}).CreateThread(t.Context(), nil)
	require.ErrorContains(t, err, "redirects the request to something else")

	address, _ = serve(t, reply{status: 308, body: "", header: map[string]string{"Location": "/v1/threads"}}, reply{body: object{"thread_id": "t"}})
	thread, err := connect(t, client.Config{URL: address}).CreateThread(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "t", thread.ID)
}

func TestServersThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // it accepts nothing
	require.NoError(t, err)
	defer func() { require.NoError(t, silent.Close()) }()
	address := "http://" + silent.Addr().String()
	_, err = connect(t, client.Config{URL: address, Timeout: 20 * time.Millisecond}).CreateThread(t.Context(), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "did not answer in time")
	require.NotContains(t, err.Error(), address)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = connect(t, client.Config{URL: address}).Run(ctx, "t", "r")
	require.ErrorIs(t, err, context.Canceled)

	_, err = connect(t, client.Config{URL: "http://127.0.0.1:1", Timeout: 100 * time.Millisecond}).CreateThread(t.Context(), nil)
	require.Error(t, err)
}

func TestConfigurationErrors(t *testing.T) {
	t.Parallel()
	for says, config := range map[string]client.Config{
		"url is missing":                 {},
		"url: the URL is invalid":        {URL: "agents.example.com"},
		"url: the URL contains a user":   {URL: "https://a:b@example.com"},
		"has a query":                    {URL: "https://example.com?key=1"},
		`headers: "a b" is not a valid`:  {URL: "https://example.com", Headers: map[string]string{"a b": ""}},
		`headers: "x" is not a valid`:    {URL: "https://example.com", Headers: map[string]string{"x": "a\nb"}},
		`headers: "Host" is set by`:      {URL: "https://example.com", Headers: map[string]string{"Host": "x"}},
		`headers: "x-a" is given twice`:  {URL: "https://example.com", Headers: map[string]string{"X-A": "1", "x-a": "2"}},
		"timeout: the value is -1ns":     {URL: "https://example.com", Timeout: -1},
		"timeout: the value is 2h0m0s; ": {URL: "https://example.com", Timeout: 2 * time.Hour},
	} {
		_, err := client.New(config)
		require.ErrorContains(t, err, says)
	}
	require.Equal(t, "the server answered with the status 599", (&client.Error{Status: 599}).Error())
	require.Equal(t, "the server answered with the status 404 Not Found", (&client.Error{Status: http.StatusNotFound}).Error())
}
