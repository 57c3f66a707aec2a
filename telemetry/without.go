//go:build no_otel

package telemetry

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/leftout"
	"github.com/agenthost/agenthost/runs"
)

// Config configures telemetry.
type Config struct {
	Version    string                           // of the program
	LookupEnv  func(name string) (string, bool) // for the variables; nil: os.LookupEnv
	Endpoint   string
	Prometheus bool
	Logger     *slog.Logger
}

// Telemetry is always nil in this build, and records nothing.
type Telemetry struct{}

// Open fails if the variables OTEL_*, or the configuration, ask for telemetry.
func Open(_ context.Context, c Config) (*Telemetry, error) {
	s, err := readSettings(c.LookupEnv, c.Endpoint)
	if err != nil {
		return nil, err
	}
	if s.traces || s.metrics || s.logs || c.Prometheus {
		return nil, &leftout.Error{Part: "OpenTelemetry, which OTEL_* or metrics ask for", Tag: "no_otel"}
	}
	return nil, nil //nolint:nilnil // nil records nothing
}

// Tracer returns nil.
func (*Telemetry) Tracer() host.Tracer { return nil }

// Metrics returns nil.
func (*Telemetry) Metrics() http.Handler { return nil }

// LogHandler returns the handler.
func (*Telemetry) LogHandler(h slog.Handler) slog.Handler { return h }

// Observe returns the handler.
func (*Telemetry) Observe(next http.Handler, _ func(r *http.Request) string) http.Handler {
	return next
}

// Began does nothing.
func (*Telemetry) Began(*runs.Run) {}

// Queue does nothing.
func (*Telemetry) Queue(func(ctx context.Context) (map[string]int, error)) (end func() error, err error) {
	return func() error { return nil }, nil
}

// Watch does nothing.
func (*Telemetry) Watch(Gauges) (end func() error, err error) {
	return func() error { return nil }, nil
}

// Close does nothing.
func (*Telemetry) Close() error { return nil }
