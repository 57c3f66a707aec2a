//go:build !no_otel

package telemetry_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/telemetry"
	"github.com/agenthost/agenthost/test/otlpserver"
	"github.com/agenthost/agenthost/test/testservers"
)

var update = flag.Bool("update", false, "write the golden files")

// weather is an MCP server with one tool.
func weather(t *testing.T) *mcp.Server {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "weather", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "forecast", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if req.Params.Meta["traceparent"] == nil {
			t.Error("the server does not learn the trace")
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Sunny, says bob@example.com."}}}, nil
	})
	server, err := mcp.Connect(t.Context(), mcp.Config{Name: "weather", Transport: func() (sdk.Transport, error) {
		ours, theirs := sdk.NewInMemoryTransports()
		_, err := s.Connect(context.Background(), theirs, nil)
		return ours, err
	}})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	return server
}

// redact is the plugin of that name, which the sandbox runs.
func redact(t *testing.T) host.Middleware {
	t.Helper()
	return &plugin.Wasm{Path: filepath.Join("..", "plugins", "redact", "redact.wasm")}
}

// perform performs a run with a subagent, an MCP server and a plugin.
func perform(t *testing.T, r *recording) {
	t.Helper()
	var ticks atomic.Int64
	agent := r.agent(host.Config{
		Clock: func() time.Time { return time.UnixMilli(1_800_000_000_000 + ticks.Add(1)) },
		Name:  "planner", Checkpointer: memory.New(), Tools: weather(t).Tools(),
		Model: &scripted.Turns{Name: "scripted", Provider: "openai", Script: []scripted.Turn{
			spending(scripted.CallTools(abi.Call("1", "task", map[string]any{"description": "Ask for the weather.", "subagent_type": "meteorologist"}))),
			spending(scripted.Say("It is sunny.")),
		}},
		Models: map[string]model.Model{"small": &scripted.Turns{Name: "small", Provider: "gemini", Script: []scripted.Turn{
			spending(scripted.CallTools(abi.Call("2", "forecast", nil))), spending(scripted.Say("Sunny.")),
		}}},
		Middleware: []host.Middleware{redact(t), builtin.Subagents{GeneralPurpose: new(false), Agents: []builtin.Subagent{{
			Name: "meteorologist", Description: "knows the weather", SystemPrompt: "You know the weather.",
			Model: "small",
		}}}},
	})
	in := say("Write to ann@example.com how the weather is.")
	in.Thread = "trip"
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	r.done()
}

const golden = "testdata/run.otlp.json"

// The trace of a run with a subagent, an MCP server and a plugin is the committed one.
func TestTheTraceOfARun(t *testing.T) {
	t.Parallel()
	r := record(t)
	perform(t, r)
	got, err := json.MarshalIndent(otlpserver.JSON(t, r.Spans()), "", "  ")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(golden, append(got, '\n'), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, append(got, '\n')), "the trace differs from %s; run the test with -update, and read the difference", golden)
}

// The OpenTelemetry Collector takes what is sent, and has it as the committed file does.
func TestTheCollectorUnderstandsARun(t *testing.T) {
	t.Parallel()
	program := testservers.Program(t, "otelcol")
	dir, address := t.TempDir(), freeAddress(t)
	config := `{receivers: {otlp: {protocols: {http: {endpoint: "` + address + `"}}}}, exporters: {file: {directory: "` + dir + `"}}, service: {` +
		`telemetry: {metrics: {level: none}}, pipelines: {traces: {receivers: [otlp], exporters: [file]}, metrics: {receivers: [otlp], exporters: [file]}, logs: {receivers: [otlp], exporters: [file]}}}}`
	collector := exec.CommandContext(t.Context(), program, "--config", "yaml:"+config)
	said, err := collector.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, collector.Start())
	var heard []string
	for lines := bufio.NewScanner(said); lines.Scan(); {
		heard = append(heard, lines.Text())
		if strings.Contains(lines.Text(), "Everything is ready") {
			break
		}
	}
	if !strings.Contains(strings.Join(heard, "\n"), "Everything is ready") {
		t.Fatalf("the collector has not started: %s", strings.Join(heard, "\n"))
	}
	go func() { _, _ = bufio.NewReader(said).WriteTo(&bytes.Buffer{}) }()
	opened, err := telemetry.Open(t.Context(), telemetry.Exactly(telemetry.Config{Endpoint: "http://" + address, LookupEnv: environment(), Version: "1.2.3"}))
	require.NoError(t, err)
	perform(t, &recording{Telemetry: opened, t: t})
	require.NoError(t, collector.Process.Signal(syscall.SIGTERM))
	require.NoError(t, collector.Wait())
	var spans []any
	for _, request := range linesOf(t, filepath.Join(dir, "traces.json")) {
		for _, resource := range list(request, "resourceSpans") {
			for _, scope := range list(resource, "scopeSpans") {
				spans = append(spans, list(scope, "spans")...)
			}
		}
	}
	for i := range spans {
		spans[i] = otlpserver.Normal(t, spans[i], false)
	}
	begun := func(v any) string {
		fields, _ := v.(map[string]any)
		at, _ := fields["startTimeUnixNano"].(string)
		return at
	}
	slices.SortFunc(spans, func(a, b any) int { return strings.Compare(begun(a), begun(b)) })
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	got, err := json.Marshal(spans)
	require.NoError(t, err)
	require.True(t, equalJSON(t, want, got), "the collector has another trace than %s", golden)
	require.NotEmpty(t, linesOf(t, filepath.Join(dir, "metrics.json")))
}

func equalJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var first, second any
	require.NoError(t, json.Unmarshal(a, &first))
	require.NoError(t, json.Unmarshal(b, &second))
	return reflect.DeepEqual(first, second)
}

func linesOf(t *testing.T, path string) (out []any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		var value any
		require.NoError(t, json.Unmarshal([]byte(line), &value))
		out = append(out, value)
	}
	return out
}

func list(value any, key string) []any {
	fields, _ := value.(map[string]any)
	out, _ := fields[key].([]any)
	return out
}
