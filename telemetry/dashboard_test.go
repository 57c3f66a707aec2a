//go:build !no_otel

package telemetry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/telemetry"
	"github.com/agenthost/agenthost/test/prometheus"
)

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
	// This run goes on without its plugin, which has too little fuel.
	hungry := &plugin.Wasm{
		ID: "hungry", Path: filepath.Join("..", "plugins", "redact", "redact.wasm"), OnFailure: plugin.Open, AcceptOpen: true, Limits: plugin.Limits{Fuel: 1000},
	}
	_, err = r.agent(host.Config{Name: "b", Middleware: []host.Middleware{hungry}, Model: scripted.NewTurns(scripted.Say("done"))}).Run(t.Context(), say("hi"))
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
	require.Contains(t, text, `gen_ai_execute_tool_duration_seconds_count{error_type="tool_error"`, "a tool that answers with an error has failed")
	require.Contains(t, text, `agenthost_wasm_faults_total{agenthost_hook="before_model",agenthost_middleware="hungry",error_type="plugin_fuel"`)
	elsewhere := map[string]bool{
		"agenthost_queue_wait_seconds_bucket": true, "http_server_request_duration_seconds_bucket": true,
		"agenthost_checkpoint_bytes_bucket": true,
	}
	for _, queries := range prometheus.Queries(t, filepath.Join("..", "docs", "telemetry", "grafana.json")) {
		for _, query := range queries {
			names := metricName.FindAllString(query, -1)
			require.NotEmpty(t, names, query)
			for _, name := range names {
				require.True(t, elsewhere[name] || strings.Contains(text, "\n"+name+"{") || strings.Contains(text, "\n"+name+" "), "%s has no %s", query, name)
			}
		}
	}
}
