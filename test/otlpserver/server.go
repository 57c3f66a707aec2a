// Package otlpserver is a receiver of OTLP over HTTP for tests. It is built from OpenTelemetry's own protocol package.
package otlpserver

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	logs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	logv1 "go.opentelemetry.io/proto/otlp/logs/v1"
	metricv1 "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Server keeps what it receives.
type Server struct {
	URL string

	t       testing.TB
	mu      sync.Mutex
	traces  []*traces.ExportTraceServiceRequest
	metrics []*metrics.ExportMetricsServiceRequest
	logs    []*logs.ExportLogsServiceRequest
}

// Start starts a receiver, which ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, r *http.Request) {
		receive(s, w, r, &s.traces, &traces.ExportTraceServiceRequest{})
	})
	mux.HandleFunc("POST /v1/metrics", func(w http.ResponseWriter, r *http.Request) {
		receive(s, w, r, &s.metrics, &metrics.ExportMetricsServiceRequest{})
	})
	mux.HandleFunc("POST /v1/logs", func(w http.ResponseWriter, r *http.Request) {
		receive(s, w, r, &s.logs, &logs.ExportLogsServiceRequest{})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func receive[T proto.Message](s *Server, w http.ResponseWriter, r *http.Request, into *[]T, message T) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = unpacked
	}
	data, err := io.ReadAll(body)
	if err == nil {
		err = proto.Unmarshal(data, message)
	}
	if err != nil || r.Header.Get("Content-Type") != "application/x-protobuf" {
		s.t.Errorf("a request to %s of type %s cannot be read: %v", r.URL.Path, r.Header.Get("Content-Type"), err)
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	*into = append(*into, message)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// Spans returns the spans received so far, in the order of their beginnings.
func (s *Server) Spans() (out []*tracev1.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, request := range s.traces {
		for _, resource := range request.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				out = append(out, scope.GetSpans()...)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *tracev1.Span) int { return int(a.GetStartTimeUnixNano()) - int(b.GetStartTimeUnixNano()) })
	return out
}

// Instruments returns the metrics received last, by name.
func (s *Server) Instruments() map[string]*metricv1.Metric {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]*metricv1.Metric{}
	for _, request := range s.metrics {
		for _, resource := range request.GetResourceMetrics() {
			for _, scope := range resource.GetScopeMetrics() {
				for _, m := range scope.GetMetrics() {
					out[m.GetName()] = m
				}
			}
		}
	}
	return out
}

// Logs returns the records received so far.
func (s *Server) Logs() (out []*logv1.LogRecord) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, request := range s.logs {
		for _, resource := range request.GetResourceLogs() {
			for _, scope := range resource.GetScopeLogs() {
				out = append(out, scope.GetLogRecords()...)
			}
		}
	}
	return out
}

// All returns everything received so far as one text, to look for what must not be in it.
func (s *Server) All() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out bytes.Buffer
	add := func(m proto.Message) {
		text, err := protojson.Marshal(m)
		require.NoError(s.t, err)
		out.Write(text)
	}
	for _, request := range s.traces {
		add(request)
	}
	for _, request := range s.metrics {
		add(request)
	}
	for _, request := range s.logs {
		add(request)
	}
	return out.String()
}

// Attribute returns an attribute as text; "" if there is none.
func Attribute(attributes []*common.KeyValue, key string) string {
	for _, a := range attributes {
		if a.GetKey() == key {
			if text, ok := a.GetValue().GetValue().(*common.AnyValue_StringValue); ok {
				return text.StringValue
			}
			shown, _ := protojson.Marshal(a.GetValue())
			return strings.ReplaceAll(string(shown), " ", "")
		}
	}
	return ""
}

// JSON returns spans as OTLP JSON, whose ids are hexadecimal and whose enumerations are numbers. Attributes are sorted.
func JSON(t testing.TB, spans []*tracev1.Span) []any {
	t.Helper()
	out := make([]any, len(spans))
	for i, span := range spans {
		text, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(span)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &out[i]))
		out[i] = Normal(t, out[i], true)
	}
	return out
}

// Normal makes two forms of one document equal: attributes are sorted, empty values left out, and ids hexadecimal.
func Normal(t testing.TB, value any, base64ids bool) any {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			if id, ok := inner.(string); ok && base64ids && slices.Contains([]string{"traceId", "spanId", "parentSpanId"}, key) {
				raw, err := base64.StdEncoding.DecodeString(id)
				require.NoError(t, err)
				inner = hex.EncodeToString(raw)
			}
			inner = Normal(t, inner, base64ids)
			if empty, isMap := inner.(map[string]any); inner == "" || isMap && len(empty) == 0 {
				continue
			}
			out[key] = inner
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = Normal(t, v[i], base64ids)
		}
		slices.SortStableFunc(out, func(a, b any) int { return strings.Compare(keyOf(a), keyOf(b)) })
		return out
	default:
		return value
	}
}

func keyOf(value any) string {
	fields, _ := value.(map[string]any)
	key, _ := fields["key"].(string)
	return key
}
