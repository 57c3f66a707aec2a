package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/telemetry"
)

// record begins to record what agents do, if the configuration or the variables OTEL_* ask for it.
func (a *app) record(ctx context.Context, c telemetry.Config) (err error) {
	a.recorded, c.Version = true, thisBuild().version
	a.telemetry, err = telemetry.Open(ctx, c)
	return err
}

// recordIfAsked is like record, for commands that go on without telemetry: the variables may be meant for other programs.
func (a *app) recordIfAsked(ctx context.Context) {
	if a.recorded {
		return
	}
	logger := a.logger()
	if err := a.record(ctx, telemetry.Config{Logger: logger}); err != nil {
		logger.Warn("nothing is recorded", "error", err)
	}
}

// serveMetrics serves the metrics for Prometheus at an address of their own, if serve.yaml names one.
func (s *serving) serveMetrics(ctx context.Context, serve *config.Config, logger *slog.Logger) (end func(), err error) {
	if serve.Metrics == nil {
		return func() {}, nil
	}
	listener, err := open(ctx, serve.Metrics.Listen)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.telemetry.Metrics())
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug), BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener)
	}()
	logger.Info("serving metrics", "at", "http://"+listener.Addr().String()+"/metrics")
	return func() {
		_ = server.Close()
		<-ended
	}, nil
}
