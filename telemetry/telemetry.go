//go:build !no_otel

package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/time/rate"

	"github.com/agenthost/agenthost/host"
)

// Config configures telemetry.
type Config struct {
	Version   string                           // of the program
	LookupEnv func(name string) (string, bool) // for the variables that package telemetry reads itself; nil: os.LookupEnv
	// Endpoint is where OTLP goes to, such as http://localhost:4318, in place of the variables; "": as these say.
	Endpoint string
	// Prometheus also keeps the metrics for [Telemetry.Metrics].
	Prometheus bool
	// Logger gets what goes wrong with sending, at most once a minute; nil: nothing is logged. Its records are not sent.
	Logger *slog.Logger

	clock func() time.Time  // nil: time.Now
	ids   trace.IDGenerator // nil: random ones
}

// Telemetry records what agents and servers do. Nil records nothing.
type Telemetry struct {
	tracer  *tracer
	logs    slog.Handler // sends records; nil: they are not sent
	metrics http.Handler // nil: there is none
	close   []func(ctx context.Context) error
}

// scope is the name under which everything is recorded.
const scope = "github.com/agenthost/agenthost"

// Open begins to record what the variables OTEL_* ask for. It returns nil if they ask for nothing, and Prometheus is not set. Close it at the
// end, or the last seconds are lost.
func Open(ctx context.Context, c Config) (_ *Telemetry, err error) {
	s, err := readSettings(c.LookupEnv, c.Endpoint)
	if err != nil {
		return nil, err
	}
	if !s.traces && !s.metrics && !s.logs && !c.Prometheus {
		return nil, nil //nolint:nilnil // nil records nothing
	}
	t := &Telemetry{}
	defer func() {
		if err != nil {
			err = fmt.Errorf("telemetry: %w", errors.Join(err, t.Close()))
		}
	}()
	about, err := describe(ctx, c.Version)
	if err != nil {
		return nil, err
	}
	report(c.Logger)
	spans, err := t.spans(ctx, s, &c, about)
	if err != nil {
		return nil, err
	}
	meters, err := t.meters(ctx, s, &c, about)
	if err != nil {
		return nil, err
	}
	if s.logs {
		if err := t.records(ctx, &c, about); err != nil {
			return nil, err
		}
	}
	t.tracer, err = newTracer(spans, meters, s, c.clock)
	return t, err
}

// describe returns the resource: what the variables say, and the program and its process.
func describe(ctx context.Context, version string) (*resource.Resource, error) {
	own := resource.NewSchemaless(
		attribute.String("service.name", "agenthost"), attribute.String("service.version", version),
		attribute.String("service.instance.id", uuid.NewString()))
	said, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return resource.Merge(own, said)
}

func (t *Telemetry) spans(ctx context.Context, s *settings, c *Config, about *resource.Resource) (*trace.TracerProvider, error) {
	if !s.traces {
		return nil, nil //nolint:nilnil // there are no spans
	}
	var options []otlptracehttp.Option
	if c.Endpoint != "" {
		options = append(options, otlptracehttp.WithEndpointURL(at(c.Endpoint, "traces")))
	}
	sender, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, err
	}
	made := []trace.TracerProviderOption{trace.WithBatcher(sender), trace.WithResource(about)}
	if c.ids != nil {
		made = append(made, trace.WithIDGenerator(c.ids))
	}
	provider := trace.NewTracerProvider(made...)
	t.close = append(t.close, provider.Shutdown)
	return provider, nil
}

func (t *Telemetry) meters(ctx context.Context, s *settings, c *Config, about *resource.Resource) (*metric.MeterProvider, error) {
	made := []metric.Option{metric.WithResource(about)}
	if s.metrics {
		var options []otlpmetrichttp.Option
		if c.Endpoint != "" {
			options = append(options, otlpmetrichttp.WithEndpointURL(at(c.Endpoint, "metrics")))
		}
		sender, err := otlpmetrichttp.New(ctx, options...)
		if err != nil {
			return nil, err
		}
		made = append(made, metric.WithReader(metric.NewPeriodicReader(sender)))
	}
	if c.Prometheus {
		registry := prometheus.NewRegistry()
		reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo())
		if err != nil {
			return nil, err
		}
		made = append(made, metric.WithReader(reader))
		t.metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	}
	provider := metric.NewMeterProvider(made...)
	t.close = append(t.close, provider.Shutdown)
	return provider, nil
}

func (t *Telemetry) records(ctx context.Context, c *Config, about *resource.Resource) error {
	var options []otlploghttp.Option
	if c.Endpoint != "" {
		options = append(options, otlploghttp.WithEndpointURL(at(c.Endpoint, "logs")))
	}
	sender, err := otlploghttp.New(ctx, options...)
	if err != nil {
		return err
	}
	provider := log.NewLoggerProvider(log.WithProcessor(log.NewBatchProcessor(sender)), log.WithResource(about))
	t.close = append(t.close, provider.Shutdown)
	t.logs = otelslog.NewHandler(scope, otelslog.WithLoggerProvider(provider))
	return nil
}

// at returns the address of a signal, as the specification makes it from OTEL_EXPORTER_OTLP_ENDPOINT.
func at(endpoint, signal string) string { return strings.TrimSuffix(endpoint, "/") + "/v1/" + signal }

// report lets a logger know what goes wrong with sending. OpenTelemetry has one handler for the whole process.
func report(logger *slog.Logger) {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	limit := rate.NewLimiter(rate.Every(time.Minute), 1)
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		if limit.Allow() {
			logger.Warn("telemetry is lost; check the address in OTEL_EXPORTER_OTLP_ENDPOINT", "error", err)
		}
	}))
}

// Tracer returns the tracer for the Config of agents; nil if nothing is recorded.
func (t *Telemetry) Tracer() host.Tracer {
	if t == nil {
		return nil
	}
	return t.tracer
}

// Metrics serves the metrics in the format of Prometheus; nil without [Config.Prometheus].
func (t *Telemetry) Metrics() http.Handler {
	if t == nil {
		return nil
	}
	return t.metrics
}

// closeTime is how long Close may take.
const closeTime = 5 * time.Second

// Close sends what has not been sent yet, for five seconds at most.
func (t *Telemetry) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	errs := make([]error, len(t.close))
	var all sync.WaitGroup
	for i, end := range t.close { // at once: a collector that does not answer takes all the time
		all.Go(func() { errs[i] = end(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}
