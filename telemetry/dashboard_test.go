//go:build !no_otel

package telemetry_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/telemetry"
)

// queries returns the queries of the dashboard.
func queries(t *testing.T) (out []string) {
	t.Helper()
	text, err := os.ReadFile("../docs/telemetry/grafana.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			out = append(out, target.Expr)
		}
	}
	require.NotEmpty(t, out)
	return out
}

var metricName = regexp.MustCompile(`\b(agenthost|gen_ai|http)(_[a-z_]+)?(_bucket|_count|_sum|_total|_active|_queued|_waiting|_streams|_instances|_open)\b`)

// exposition performs runs and returns what Prometheus would read.
func exposition(t *testing.T) string {
	t.Helper()
	r := record(t)
	turn := spending(scripted.CallTools(abi.Call("1", "none", nil)))
	slow := host.BeforeModel("slow", func(ctx context.Context, _ *host.Runtime) (*host.Update, error) {
		for range 100 { // the clock of the test goes on with each span
			_, end := r.Tracer().Start(ctx, host.Span{Kind: host.SpanCheckpoint})
			end(&host.Event{})
		}
		return nil, nil
	})
	agent := r.agent(host.Config{
		Name: "a", Middleware: []host.Middleware{redact(t), slow}, Model: scripted.NewTurns(turn, spending(scripted.Say("done"))),
		Prices: &model.Prices{Currency: "USD", Models: map[string]model.Price{"scripted": {Input: 1_000_000_000}}},
	})
	one := func(context.Context) (map[string]int, error) { return map[string]int{"a": 1}, nil }
	_, err := r.Queue(one)
	require.NoError(t, err)
	_, err = r.Watch(telemetry.Gauges{Streams: func() int { return 1 }, Waiting: one, Middleware: func() map[string][]host.Part {
		parts := agent.Middleware()
		parts[0].Sandbox.Breaker = &host.Breaker{Faults: 1}
		return map[string][]host.Part{"a": parts}
	}})
	require.NoError(t, err)
	_, err = agent.RunEvents(t.Context(), say("hi"), func(host.Event) error { return nil })
	require.NoError(t, err)
	answer := httptest.NewRecorder()
	r.Telemetry.Metrics().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	r.done()
	return answer.Body.String()
}

// Each query of the dashboard is about metrics that there are. Those that this run does not have are listed.
func TestTheDashboardAsksForMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	text := exposition(t)
	elsewhere := map[string]bool{
		"agenthost_queue_wait_seconds_bucket": true, "http_server_request_duration_seconds_bucket": true, "agenthost_wasm_faults_total": true,
		"agenthost_checkpoint_bytes_bucket": true,
	}
	for _, query := range queries(t) {
		names := metricName.FindAllString(query, -1)
		require.NotEmpty(t, names, query)
		for _, name := range names {
			require.True(t, elsewhere[name] || strings.Contains(text, "\n"+name+"{") || strings.Contains(text, "\n"+name+" "), "%s has no %s", query, name)
		}
	}
}

// Prometheus reads the metrics and answers each query of the dashboard.
func TestPrometheusAnswersTheDashboard(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("Prometheus is not installed: it is Debian's package prometheus")
	}
	text := exposition(t)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }))
	t.Cleanup(target.Close)
	dir, address := t.TempDir(), freeAddress(t)
	config := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(config, []byte("scrape_configs: [{job_name: agenthost, scrape_interval: 200ms, scrape_timeout: 200ms, static_configs: [{targets: [\""+
		strings.TrimPrefix(target.URL, "http://")+"\"]}]}]\n"), 0o600))
	command := exec.CommandContext(t.Context(), program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+address)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	type result struct {
		Metric map[string]string `json:"metric"`
		Value  [2]any            `json:"value"`
	}
	ask := func(query string) (status string, results []result) {
		resp, err := http.Get("http://" + address + "/api/v1/query?query=" + url.QueryEscape(query)) //nolint:noctx // a test
		if err != nil {
			return err.Error(), nil
		}
		defer func() { _ = resp.Body.Close() }()
		var answer struct {
			Status string `json:"status"`
			Error  string `json:"error"`
			Data   struct {
				Result []result `json:"result"`
			} `json:"data"`
		}
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
			return err.Error(), nil
		}
		return answer.Status + answer.Error, answer.Data.Result
	}
	require.Eventually(t, func() bool {
		_, results := ask("rate(agenthost_runs_total[1m])")
		return len(results) > 0
	}, time.Minute, 100*time.Millisecond)
	answered := 0
	for _, query := range queries(t) {
		status, results := ask(strings.ReplaceAll(query, "$__rate_interval", "1m"))
		require.Equal(t, "success", status, query)
		if len(results) > 0 {
			answered++
		}
	}
	require.Greater(t, answered, 8, "queries with an answer")
	_, hooks := ask("topk(1, sum by (agenthost_middleware, agenthost_hook) (agenthost_hook_duration_seconds_sum) / " +
		"sum by (agenthost_middleware, agenthost_hook) (agenthost_hook_duration_seconds_count))")
	require.Equal(t, map[string]string{"agenthost_middleware": "slow", "agenthost_hook": "before_model"}, hooks[0].Metric)
	http.DefaultClient.CloseIdleConnections()
}
