//go:build !no_otel

package telemetry_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"
	"go.opentelemetry.io/otel/semconv/v1.41.0/httpconv"
	metricv1 "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/telemetry"
)

// registry returns the lines of the pinned registry without their first word, by that word.
func registry(t *testing.T) map[string]map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/registry.txt")
	require.NoError(t, err)
	out := map[string]map[string]bool{"attribute": {}, "value": {}, "metric": {}}
	for line := range strings.Lines(string(text)) {
		if kind, rest, _ := strings.Cut(strings.TrimSpace(line), " "); kind != "#" {
			out[kind][rest] = true
		}
	}
	return out
}

// general are names of the other conventions, which OpenTelemetry's package has.
var general = map[string]bool{
	string(semconv.ErrorTypeKey): true, string(semconv.SessionIDKey): true, string(semconv.UserIDKey): true, string(semconv.HTTPRequestMethodKey): true, string(semconv.HTTPRouteKey): true,
	string(semconv.HTTPResponseStatusCodeKey): true, string(semconv.URLPathKey): true, string(semconv.URLSchemeKey): true,
	string(semconv.ServerAddressKey): true, string(semconv.ServerPortKey): true,
}

func TestAttributesAreInTheRegistry(t *testing.T) {
	t.Parallel()
	pinned := registry(t)
	for _, name := range telemetry.Attributes {
		require.True(t, pinned["attribute"][name] || general[name], name)
	}
	for _, name := range telemetry.Operations {
		require.True(t, pinned["value"]["gen_ai.operation.name "+name], name)
	}
	for _, name := range telemetry.ProviderNames {
		require.True(t, pinned["value"]["gen_ai.provider.name "+name], name)
	}
}

func TestMetricsAreInTheRegistry(t *testing.T) {
	t.Parallel()
	r := record(t)
	agent := r.agent(host.Config{Model: scripted.NewTurns(spending(scripted.Say("hello")))})
	_, err := agent.Run(t.Context(), say("hi"))
	require.NoError(t, err)
	r.done()
	pinned, found := registry(t)["metric"], 0
	for name, m := range r.Instruments() {
		if strings.HasPrefix(name, "gen_ai.") {
			require.True(t, pinned[name+" histogram "+m.GetUnit()], "%s %s", name, m.GetUnit())
			require.IsType(t, &metricv1.Metric_Histogram{}, m.GetData())
			found++
		}
	}
	require.Equal(t, 3, found, "of a run without tools and tokens that stream")
	bounds := func(name string) []float64 {
		return r.Instruments()[name].GetHistogram().GetDataPoints()[0].GetExplicitBounds()
	}
	require.Equal(t, []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}, bounds(genaiconv.ClientOperationDuration{}.Name()))
	require.Equal(t, []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}, bounds(genaiconv.ClientTokenUsage{}.Name()))
	require.Equal(t, "http.server.request.duration", httpconv.ServerRequestDuration{}.Name())
}

// The table of metrics in the documentation has each metric of names.go, and no other.
func TestTheDocumentListsAllMetrics(t *testing.T) {
	t.Parallel()
	names, err := os.ReadFile("names.go")
	require.NoError(t, err)
	document, err := os.ReadFile("../docs/telemetry.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(document), "\n## Metrics\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var have, told []string
	for _, m := range regexp.MustCompile(`(?m)^\tmetric\w+ += "([^"]+)"$`).FindAllStringSubmatch(string(names), -1) {
		have = append(have, m[1])
	}
	for row := range strings.Lines(section) {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				told = append(told, m[1])
			}
		}
	}
	require.ElementsMatch(t, have, told)
}
