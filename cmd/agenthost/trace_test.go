package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/live"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/waterfall"
)

const traceable = "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{content: hello, usage: {input_tokens: 100, output_tokens: 20}}], after_end: repeat_last}\n" +
	"prices: {models: {scripted: {input: 1, output: 5}}}\nmiddleware: [{pii: {pii_type: email}}]\n"

func TestTraceOfAFile(t *testing.T) {
	t.Parallel()
	b := setup(t, traceable)
	require.Equal(t, exitOK, b.run("run", "--output", "jsonl", "hi"), &b.err)
	require.NoError(t, os.WriteFile(b.path("run.jsonl"), b.out.Bytes(), 0o600))
	require.Equal(t, exitOK, b.run("trace", b.path("run.jsonl")), &b.err)
	require.Contains(t, b.out.String(), "100 → 20 tokens, cost 0.0002")
	require.Contains(t, b.out.String(), "pii[email].before_model")

	b.write("odd.jsonl", "{\"type\": \"run\"}\nnonsense\n")
	require.Equal(t, exitUsage, b.run("trace", b.path("odd.jsonl")))
	require.Contains(t, b.err.String(), "line 2 is not an event; use a file of 'agenthost run --output jsonl'")
	require.Equal(t, exitUsage, b.run("trace", "--output", "xml", b.path("run.jsonl")))
}

// The events that a server keeps have the times of its threads and runs, also after it has ended, and its metrics what it does.
func TestTraceAndTopOfAServer(t *testing.T) {
	t.Parallel()
	b := setup(t, traceable)
	store := "sqlite:" + b.path("agents.db")
	b.write("serve.yaml", "metrics: {listen: \"127.0.0.1:0\"}\n")
	log, address := b.servesLogged("--config", b.path("serve.yaml"), "--storage", store)
	post := func(path, body string) map[string]any {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		var answer map[string]any
		require.NoError(t, json.Unmarshal([]byte(get(t, req)), &answer))
		return answer
	}
	thread, _ := post("/threads", "{}")["thread_id"].(string)
	post("/threads/"+thread+"/runs/wait", `{"assistant_id": "agent", "input": {"messages": [{"role": "user", "content": "hi"}]}}`)
	require.Equal(t, exitOK, b.run("trace", "--store", store, "--output", "json", thread), &b.err)
	var bars []waterfall.Bar
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &bars))
	require.Equal(t, "run", bars[0].Kind)
	require.Equal(t, "agent", bars[0].Name)
	require.Greater(t, len(bars), 2)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "trace", "--server", address, "--output", "json", thread), &b.err)
	var served []waterfall.Bar
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &served))
	require.Len(t, served, len(bars))
	for i := range served { // a database keeps microseconds
		require.WithinDuration(t, bars[i].Begin, served[i].Begin, time.Microsecond)
		served[i].Begin = bars[i].Begin
	}
	require.Equal(t, bars, served, "the server says what its database has")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "trace", "--server", address, "nobody"), &b.err)
	require.Contains(t, b.err.String(), "no such thread")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "trace", "--server", address, "0b7f5a8e-5d3c-4c6e-9a53-000000000000"), &b.err)
	require.Contains(t, b.err.String(), "not found")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "trace", "--server", address, "--store", store, thread), &b.err)
	require.Contains(t, b.err.String(), "--store is about a database")
	require.Equal(t, exitUsage, b.run("trace", "--store", store, "nobody"), &b.err)
	require.Contains(t, b.err.String(), `there is no thread, run or file "nobody"`)

	metrics := metricsAt.FindStringSubmatch(log.text())
	require.NotNil(t, metrics)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "top", metrics[1], "--interval", "100ms", "--output", "json"), &b.err)
	var sample live.Sample
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &sample))
	require.Equal(t, "pii[email]", sample.Hooks[0].Middleware)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "top", strings.TrimSuffix(metrics[1], "/metrics"), "--interval", "100ms"), &b.err)
	require.Contains(t, b.out.String(), "runs    0 active")
	require.Equal(t, exitFailed, b.runWith(t.Context(), "", "top", address), &b.err)
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "top", "nowhere"), &b.err)
}
