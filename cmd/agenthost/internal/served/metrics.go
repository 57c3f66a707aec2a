package served

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/telemetry"
)

// Metrics serves the metrics for Prometheus at an address of their own, if serve.yaml names one. The caller must end it.
func Metrics(ctx context.Context, serve *config.Config, recorded *telemetry.Telemetry, logger *slog.Logger) (end func(), err error) {
	if serve.Metrics == nil {
		return func() {}, nil
	}
	listener, err := Listen(ctx, serve.Metrics.Listen)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", recorded.Metrics())
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
