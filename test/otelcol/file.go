package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// config is the configuration of the exporter.
type config struct {
	Directory string `mapstructure:"directory"` // where traces.json, metrics.json and logs.json are
}

// Validate checks it.
func (c *config) Validate() error {
	if c.Directory == "" {
		return errors.New("directory is missing")
	}
	return nil
}

// newFile makes the exporter. The format is that of the Collector's own marshalers.
func newFile() exporter.Factory {
	return exporter.NewFactory(component.MustNewType("file"), func() component.Config { return &config{} },
		exporter.WithTraces(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Traces, error) {
			return &file{path: pathOf(c, "traces.json")}, nil
		}, component.StabilityLevelDevelopment),
		exporter.WithMetrics(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Metrics, error) {
			return &file{path: pathOf(c, "metrics.json")}, nil
		}, component.StabilityLevelDevelopment),
		exporter.WithLogs(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Logs, error) {
			return &file{path: pathOf(c, "logs.json")}, nil
		}, component.StabilityLevelDevelopment))
}

func pathOf(c component.Config, name string) string {
	return filepath.Join(c.(*config).Directory, name)
}

// file appends requests to a file.
type file struct {
	component.StartFunc
	component.ShutdownFunc

	mu   sync.Mutex
	path string
}

// Capabilities says that the data stays as it is.
func (*file) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

// ConsumeTraces appends spans.
func (f *file) ConsumeTraces(_ context.Context, t ptrace.Traces) error {
	line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(t)
	return f.append(line, err)
}

// ConsumeMetrics appends metrics.
func (f *file) ConsumeMetrics(_ context.Context, m pmetric.Metrics) error {
	line, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(m)
	return f.append(line, err)
}

// ConsumeLogs appends log records.
func (f *file) ConsumeLogs(_ context.Context, l plog.Logs) error {
	line, err := (&plog.JSONMarshaler{}).MarshalLogs(l)
	return f.append(line, err)
}

func (f *file) append(line []byte, err error) error {
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	out, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return errors.Join(err, out.Close())
}
