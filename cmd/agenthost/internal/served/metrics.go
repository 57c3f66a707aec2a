//go:build !no_serve

package served

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/telemetry"
)

// Metrics records how many runs wait in the database of a server or worker. If serve.yaml names an address for it, it also serves there what operators
// read: the metrics for Prometheus, and the health of the process. The caller must end it, after the server has stopped and before the database is
// closed.
func Metrics(ctx context.Context, serve *config.Config, running *server.Server, recorded *telemetry.Telemetry, logger *slog.Logger) (end func(), err error) {
	unqueue, err := watch(running, recorded)
	if err != nil {
		return nil, err
	}
	if serve.Metrics == nil {
		return func() { _ = unqueue() }, nil
	}
	listener, err := Listen(ctx, serve.Metrics.Listen)
	if err != nil {
		return nil, errors.Join(err, unqueue())
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", recorded.Metrics())
	mux.Handle("/", running.Health())
	process := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
		// The health is asked for, and answered, while the server stops.
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = process.Serve(listener)
	}()
	logger.Info("serving metrics", "at", "http://"+listener.Addr().String()+"/metrics")
	return func() {
		_ = process.Close()
		<-ended
		_ = unqueue()
	}, nil
}

// watch records what a server or worker says of itself whenever metrics are read.
func watch(running *server.Server, recorded *telemetry.Telemetry) (end func() error, err error) {
	service := running.Service()
	unqueue, err := recorded.Queue(service.Queued)
	if err != nil {
		return nil, err
	}
	unwatch, err := recorded.Watch(telemetry.Gauges{Streams: running.Streams, Waiting: service.Waiting, Middleware: service.Middleware})
	if err != nil {
		return nil, errors.Join(err, unqueue())
	}
	return func() error { return errors.Join(unwatch(), unqueue()) }, nil
}
