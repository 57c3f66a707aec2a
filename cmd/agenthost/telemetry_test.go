package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/otlpserver"
)

// metricsAt matches the address of the metrics in the log of agenthost serve.
var metricsAt = regexp.MustCompile(`"serving metrics","at":"([^"]+)"`)

// A request's trace goes on in the run that the server performs for it, and Prometheus reads the metrics at an address of their own.
func TestServeIsRecorded(t *testing.T) {
	received := otlpserver.Start(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", received.URL)
	t.Run("serve", func(t *testing.T) {
		b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{content: hello}]}\n")
		b.write("serve.yaml", "metrics: {listen: \"127.0.0.1:0\"}\n")
		log, address := b.servesLogged("--config", b.path("serve.yaml"))
		const trace = "0af7651916cd43dd8448eb211c80319c"
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/runs/wait", strings.NewReader(
			`{"assistant_id": "agent", "input": {"messages": [{"role": "user", "content": "hi"}]}}`))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Traceparent", "00-"+trace+"-b7ad6b7169203331-01")
		require.Contains(t, get(t, req), "hello")
		metrics := metricsAt.FindStringSubmatch(log.text())
		require.NotNil(t, metrics, log.text())
		req, err = http.NewRequestWithContext(t.Context(), http.MethodGet, metrics[1], http.NoBody)
		require.NoError(t, err)
		text := get(t, req)
		for _, want := range []string{
			`agenthost_runs_total{agenthost_run_status="completed",gen_ai_agent_name="agent",gen_ai_operation_name="invoke_agent"`, `agenthost_queue_wait_seconds_count{`,
			`http_server_request_duration_seconds_count{http_request_method="POST",http_response_status_code="200",http_route="/runs/wait"`,
		} {
			require.Contains(t, text, want)
		}
		require.Contains(t, log.text(), `"trace_id":"`+trace+`"`, "the line about the request")
	})
	names := map[string]int{}
	for _, span := range received.Spans() {
		if hex.EncodeToString(span.GetTraceId()) == "0af7651916cd43dd8448eb211c80319c" {
			names[span.GetName()]++
		}
	}
	require.Equal(t, 1, names["POST /runs/wait"], names)
	require.Equal(t, 1, names["invoke_agent agent"], names)
	require.Equal(t, 1, names["chat scripted"], names)
	require.NotEmpty(t, received.Logs())
}

func get(t *testing.T, req *http.Request) string {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, string(body))
	return string(body)
}

// Variables that are meant for another program do not stop a run.
func TestARunGoesOnWithoutTelemetry(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{content: hello}]}\n")
	require.Equal(t, exitOK, b.run("run", "hi"))
	require.Equal(t, "hello\n", b.out.String())
	require.Contains(t, b.err.String(), "write http/protobuf")
}
