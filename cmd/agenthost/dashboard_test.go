package main

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/prometheus"
)

// watchedAgent has a tool that can fail, a plugin that computes for long, and one that never ends and is bypassed.
const watchedAgent = `apiVersion: agenthost/v1
model:
  provider: scripted
  turns:
    - {tool_calls: [{name: read_file, args: {path: missing.md}}], usage: {input_tokens: 100, output_tokens: 20}}
    - {content: There is no such file., usage: {input_tokens: 150, output_tokens: 10}}
    - {error: overloaded}
prices: {currency: USD, models: {scripted: {input: 1, output: 5}}}
tools: [{files: {root: notes}}]
middleware:
  - plugin: quick.js
  - plugin: slow.js
  - {plugin: faulty.js, on_failure: open, breaker: {faults: 1, window: 10m}, limits: {fuel: 1M}}
`

// hookScript is a plugin with one hook.
func hookScript(name, hook, body string) string {
	return "import { plugin } from \"agenthost\"\nexport default plugin({ name: \"" + name + "\", version: \"1.0.0\", " + hook + "() { " + body + " } })\n"
}

// Prometheus scrapes a server and answers each query of the dashboard. The panel of the hooks names the slow one.
func TestPrometheusAnswersTheDashboard(t *testing.T) {
	t.Parallel()
	b := setup(t, watchedAgent)
	b.write("quick.js", hookScript("quick", "beforeModel", ""))
	b.write("slow.js", hookScript("slow", "beforeModel", "let sum = 0; for (let i = 0; i < 100_000; i++) sum += i % 7"))
	b.write("faulty.js", hookScript("faulty", "afterAgent", "for (;;) {}"))
	b.write("notes/first.md", "a note")
	b.write("serve.yaml", "metrics: {listen: \"127.0.0.1:0\"}\n")
	log, address := b.servesLogged("--config", b.path("serve.yaml"), "--storage", "sqlite:"+b.path("agents.db"))
	metrics := metricsAt.FindStringSubmatch(log.text())
	require.NotNil(t, metrics, log.text())
	prom := prometheus.Start(t, strings.TrimSuffix(strings.TrimPrefix(metrics[1], "http://"), "/metrics"))
	send := func(path, body string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		get(t, req)
	}
	send("/threads", `{"thread_id": "6f0d0f63-5f0f-4b52-9a2c-1f7f6f6d2b11"}`)
	// A rate needs two readings, so runs go on until Prometheus has an answer. The second run of the thread fails.
	unanswered := map[string]string{}
	for title, queries := range prometheus.Queries(t, filepath.Join("..", "..", "docs", "telemetry", "grafana.json")) {
		for _, query := range queries {
			unanswered[query] = title
		}
	}
	run := func(path string) {
		send(path, `{"assistant_id": "agent", "input": {"messages": [{"role": "user", "content": "hi"}]}}`)
	}
	run("/threads/6f0d0f63-5f0f-4b52-9a2c-1f7f6f6d2b11/runs/wait")
	var refused *prometheus.QueryError
	for deadline := time.Now().Add(2 * time.Minute); len(unanswered) > 0; {
		require.True(t, time.Now().Before(deadline), "Prometheus has no series for %v", unanswered)
		run("/runs/wait")
		run("/threads/6f0d0f63-5f0f-4b52-9a2c-1f7f6f6d2b11/runs/wait")
		for query := range unanswered {
			series, err := prom.Query(query)
			require.NotErrorAs(t, err, &refused)
			if len(series) > 0 && err == nil {
				delete(unanswered, query)
			}
		}
	}
	slowest, err := prom.Query(`topk(1, sum by (agenthost_middleware, agenthost_hook) (agenthost_hook_duration_seconds_sum{agenthost_hook!~"wrap_.*"})` +
		` / sum by (agenthost_middleware, agenthost_hook) (agenthost_hook_duration_seconds_count))`)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"agenthost_middleware": "slow", "agenthost_hook": "before_model"}, slowest[0].Metric)
	fuel, err := prom.Query(`sum(agenthost_wasm_fuel_sum{agenthost_middleware="slow"}) / sum(agenthost_wasm_fuel_sum{agenthost_middleware="quick"})`)
	require.NoError(t, err)
	text, _ := fuel[0].Value[1].(string)
	times, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	require.Greater(t, times, 10.0, "the slow plugin computes")
	bypassed, err := prom.Query(`max by (agenthost_middleware) (agenthost_breaker_open) > 0`)
	require.NoError(t, err)
	require.Equal(t, "faulty", bypassed[0].Metric["agenthost_middleware"])
}
