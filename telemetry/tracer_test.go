//go:build !no_otel

package telemetry_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/host/tool/httptool"
	"github.com/agenthost/agenthost/host/tracecontext"
	"github.com/agenthost/agenthost/telemetry"
	"github.com/agenthost/agenthost/test/otlpserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const asked = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// A run that goes on is a trace of its own, linked to the span of the part that asked.
func TestARunThatGoesOnIsLinkedToThePartBefore(t *testing.T) {
	t.Parallel()
	r := record(t)
	ask := tool.Func("ask", "asks", func(context.Context, struct{}) (string, error) {
		return "", &host.InterruptError{Interrupts: []abi.Interrupt{{Key: "q"}}}
	})
	agent := r.agent(host.Config{
		Checkpointer: memory.New(), Tools: []host.Tool{ask},
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "ask", nil)), scripted.Say("done")),
	})
	in := say("hi")
	in.Thread = "t"
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	_, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: "yes"}}})
	require.NoError(t, err)
	r.done()
	spans := named(r, "invoke_agent")
	require.Len(t, spans, 2)
	require.NotEqual(t, spans[0].GetTraceId(), spans[1].GetTraceId())
	require.Equal(t, spans[0].GetSpanId(), spans[1].GetLinks()[0].GetSpanId())
	require.Equal(t, spans[0].GetTraceId(), spans[1].GetLinks()[0].GetTraceId())
	require.Equal(t, "1", otlpserver.Attribute(spans[0].GetAttributes(), "agenthost.interrupts")[len(`{"intValue":"`):][:1])
}

type span = tracev1.Span

func named(r *recording, name string) (out []*span) {
	for _, s := range r.Spans() {
		if s.GetName() == name {
			out = append(out, s)
		}
	}
	return out
}

// The trace of who asks goes on in the run, and from there to the model and to tools.
func TestATraceGoesThroughARun(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		seen[req.URL.Path] = req.Header.Get("Traceparent")
		body, _ := io.ReadAll(req.Body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case req.URL.Path == "/look":
			_, _ = io.WriteString(w, `{"found": true}`)
		case strings.Contains(string(body), `"tool_call_id"`):
			_, _ = io.WriteString(w, `{"model":"m","choices":[{"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`)
		default:
			_, _ = io.WriteString(w, `{"model":"m","choices":[{"message":{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"look","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`)
		}
	}))
	t.Cleanup(server.Close)
	look, err := httptool.New(httptool.Config{Name: "look", URL: server.URL + "/look"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, look.Close()) })
	r := record(t)
	agent := r.agent(host.Config{
		Model: &openai.Model{Name: "gpt", BaseURL: server.URL, APIKey: "k", API: openai.ChatCompletions, HTTPClient: server.Client()}, Tools: []host.Tool{look},
	})
	handler := r.Observe(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, err := agent.Run(req.Context(), say("hi"))
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusAccepted)
	}), func(*http.Request) string { return "/runs" })
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/runs?key=secret", nil)
	req.Header.Set("Traceparent", asked)
	handler.ServeHTTP(httptest.NewRecorder(), req)
	r.done()
	trace := "0af7651916cd43dd8448eb211c80319c"
	for _, s := range r.Spans() {
		require.Equal(t, trace, hex.EncodeToString(s.GetTraceId()), s.GetName())
	}
	require.Equal(t, "POST /runs", r.Spans()[0].GetName())
	require.Equal(t, "b7ad6b7169203331", hex.EncodeToString(r.Spans()[0].GetParentSpanId()))
	require.NotContains(t, r.All(), "secret")
	within := func(span, path string) {
		require.Equal(t, "00-"+trace+"-"+hex.EncodeToString(named(r, span)[len(named(r, span))-1].GetSpanId())+"-01", seen[path], path)
	}
	within("chat gpt", "/chat/completions")
	within("execute_tool look", "/look")
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	asks := named(r, "chat gpt")[0].GetAttributes()
	require.Equal(t, address.Hostname(), otlpserver.Attribute(asks, "server.address"))
	require.Equal(t, `{"intValue":"`+address.Port()+`"}`, otlpserver.Attribute(asks, "server.port"))
	status := otlpserver.Attribute(r.Spans()[0].GetAttributes(), "http.response.status_code")
	require.Equal(t, `{"intValue":"202"}`, status)
}

// Records of a run have the ids of its trace, on the machine and where they are sent.
func TestLogsHaveTheIDsOfTraces(t *testing.T) {
	t.Parallel()
	r := record(t)
	var out bytes.Buffer
	logger := slog.New(r.LogHandler(slog.NewTextHandler(&out, nil)))
	agent := r.agent(host.Config{
		Logger: logger, Model: scripted.NewTurns(scripted.Say("done")),
		Middleware: []host.Middleware{host.BeforeModel("m", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
			logger.InfoContext(ctx, "within")
			rt.Warn("careful")
			return nil, nil
		})},
	})
	_, err := agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	logger.Info("outside")
	r.done()
	hook, run := named(r, "m.before_model")[0], named(r, "invoke_agent")[0]
	trace := hex.EncodeToString(run.GetTraceId())
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3)
	require.Contains(t, lines[0], "trace_id="+trace+" span_id="+hex.EncodeToString(hook.GetSpanId()))
	require.Contains(t, lines[1], "trace_id="+trace+" span_id="+hex.EncodeToString(run.GetSpanId()))
	require.NotContains(t, lines[2], "trace_id")
	records := r.Logs()
	require.Len(t, records, 3)
	require.Equal(t, [][]byte{hook.GetSpanId(), run.GetSpanId(), nil}, [][]byte{records[0].GetSpanId(), records[1].GetSpanId(), records[2].GetSpanId()})
}

func TestSettings(t *testing.T) {
	t.Parallel()
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, c := range []struct {
		name      string
		variables []string
		on        bool
		problem   string
	}{
		{"nothing", nil, false, ""},
		{"a collector", []string{endpoint, "http://localhost:1"}, true, ""},
		{"turned off", []string{endpoint, "http://localhost:1", "OTEL_SDK_DISABLED", "true"}, false, ""},
		{"one signal", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://localhost:1"}, true, ""},
		{"by name", []string{"OTEL_LOGS_EXPORTER", "otlp"}, true, ""},
		{"none", []string{
			endpoint, "http://localhost:1", "OTEL_TRACES_EXPORTER", "none", "OTEL_METRICS_EXPORTER", "none", "OTEL_LOGS_EXPORTER", "none",
		}, false, ""},
		{"another exporter", []string{"OTEL_TRACES_EXPORTER", "zipkin"}, false, `OTEL_TRACES_EXPORTER is "zipkin"; write otlp`},
		{"another protocol", []string{endpoint, "http://localhost:1", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, false, `is "grpc"; write http/protobuf`},
		{"an address without a scheme", []string{endpoint, "localhost:4318"}, false, endpoint + " is not a URL; write it with its scheme, such as http://"},
		{"an address without a host", []string{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "http:///v1/logs"}, false, "_LOGS_ENDPOINT is not a URL"},
		{"an address that is not used", []string{endpoint, "localhost:4318", "OTEL_SDK_DISABLED", "true"}, false, ""},
		{"another propagator", []string{"OTEL_PROPAGATORS", "b3"}, false, `OTEL_PROPAGATORS names "b3"; write tracecontext`},
		{"content", []string{captureContent, "maybe"}, false, `is "maybe"; write true or false`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			opened, err := telemetry.Open(t.Context(), telemetry.Config{LookupEnv: environment(c.variables...)})
			if c.problem != "" {
				require.ErrorContains(t, err, c.problem)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.on, opened != nil)
			_ = opened.Close() // nobody listens
		})
	}
}

// Nil records nothing, changes nothing and can be asked for everything.
func TestNilRecordsNothing(t *testing.T) {
	t.Parallel()
	var none *telemetry.Telemetry
	require.Nil(t, none.Tracer())
	require.Nil(t, none.Metrics())
	require.NoError(t, none.Close())
	handler := slog.NewTextHandler(io.Discard, nil) //nolint:sloglint // Same needs a pointer
	require.Same(t, handler, none.LogHandler(handler))
	mux := http.NewServeMux()
	require.Same(t, mux, none.Observe(mux, nil))
	end, err := none.Queue(nil)
	require.NoError(t, err)
	require.NoError(t, end())
}

// Without propagation, requests name no span.
func TestPropagationCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	r := record(t, "OTEL_PROPAGATORS", "none")
	_, end := r.Tracer().Start(t.Context(), host.Span{Kind: host.SpanRun})
	end(&host.Event{})
	ctx, end := r.Tracer().Start(t.Context(), host.Span{Kind: host.SpanHook, Step: "m.before_model"})
	require.Empty(t, tracecontext.From(ctx).Parent)
	end(&host.Event{})
	r.done()
}

func TestMetricsForPrometheus(t *testing.T) {
	t.Parallel()
	r := record(t)
	queued, failing := 3, error(nil)
	end, err := r.Queue(func(context.Context) (map[string]int, error) { return map[string]int{"helper": queued}, failing })
	require.NoError(t, err)
	var watched *host.Agent
	unwatch, err := r.Watch(telemetry.Gauges{
		Streams: func() int { return 2 }, Waiting: func(context.Context) (map[string]int, error) { return map[string]int{"helper": 5}, failing },
		Middleware: func() map[string][]host.Part {
			parts := watched.Middleware()
			parts[0].Sandbox.Breaker = &host.Breaker{Faults: 1, Open: 1}
			return map[string][]host.Part{"helper": parts}
		},
	})
	require.NoError(t, err)
	agent := r.agent(host.Config{Name: "helper", Model: scripted.NewTurns(spending(scripted.Say("done"))), Middleware: []host.Middleware{redact(t)}})
	watched = agent
	_, err = agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	answer := httptest.NewRecorder()
	r.Telemetry.Metrics().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`agenthost_runs_total{agenthost_run_status="completed",gen_ai_agent_name="helper",gen_ai_operation_name="invoke_agent"} 1`,
		`gen_ai_client_token_usage_sum{gen_ai_operation_name="chat",gen_ai_provider_name="unknown",gen_ai_request_model="scripted",`,
		`agenthost_hook_duration_seconds_count{agenthost_hook="before_model",agenthost_middleware="redact"} 1`,
		`agenthost_wasm_fuel_count{`, `agenthost_runs_active{`, `agenthost_runs_queued{gen_ai_agent_name="helper"} 3`,
		`gen_ai_invoke_agent_duration_seconds_bucket{`, "agenthost_streams 2", `agenthost_interrupts_waiting{gen_ai_agent_name="helper"} 5`,
		`agenthost_wasm_instances{agenthost_middleware="redact",gen_ai_agent_name="helper"} 1`,
		`agenthost_breaker_open{agenthost_middleware="redact",gen_ai_agent_name="helper"} 1`,
	} {
		require.Contains(t, answer.Body.String(), want)
	}
	failing = errors.New("the database does not answer")
	without := httptest.NewRecorder()
	r.Telemetry.Metrics().ServeHTTP(without, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	require.NotContains(t, without.Body.String(), "agenthost_runs_queued")
	require.Contains(t, without.Body.String(), "agenthost_runs_total", "the other metrics are there")
	require.NoError(t, end())
	require.NoError(t, unwatch())
	failing = nil
	without = httptest.NewRecorder()
	r.Telemetry.Metrics().ServeHTTP(without, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	require.NotContains(t, without.Body.String(), "agenthost_runs_queued")
	r.done()
}

// Whose run it is, is recorded only if somebody asks for it.
func TestTheUserOfARunIsOptIn(t *testing.T) {
	t.Parallel()
	for _, variables := range [][]string{nil, {"AGENTHOST_TELEMETRY_USER", "true"}} {
		r := record(t, variables...)
		in := say("hi")
		in.User = "ada"
		_, err := r.agent(host.Config{Model: scripted.NewTurns(scripted.Say("hello"))}).Run(t.Context(), in)
		require.NoError(t, err)
		r.done()
		users := 0
		for _, s := range r.Spans() {
			for _, a := range s.GetAttributes() {
				if a.GetKey() == "user.id" {
					require.Equal(t, "ada", a.GetValue().GetStringValue())
					users++
				}
			}
		}
		require.Equal(t, len(variables)/2, users)
	}
}
