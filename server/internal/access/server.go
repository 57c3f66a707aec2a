package access

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// The limits of [NewServer].
const (
	MaxHeader         = 64 << 10 // bytes of a request's headers
	HeaderTimeout     = 10 * time.Second
	IdleTimeout       = 2 * time.Minute // of a connection between two requests
	maxStreams        = 250             // requests at once on an HTTP/2 connection
	maxReceiveBuffers = 1 << 20         // bytes of bodies that wait on an HTTP/2 connection
	maxSilence        = time.Minute     // of a client that does not acknowledge what it was sent
)

// NewServer returns a server of HTTP/1.1 and HTTP/2, with and without TLS, that limits the size of headers, the time in which they must arrive, and idle
// connections. The times of bodies and answers are those of [Bodies], [WriteDeadlines] and package sse: a limit of a whole
// request would cut streams. What net/http has to say goes to the logger.
func NewServer(handler http.Handler, logger *slog.Logger) *http.Server {
	s := &http.Server{
		Handler: handler, MaxHeaderBytes: MaxHeader, ReadHeaderTimeout: HeaderTimeout, IdleTimeout: IdleTimeout,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			boundSilence(conn, maxSilence)
			return ctx
		},
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug), Protocols: new(http.Protocols),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, MaxReceiveBufferPerConnection: maxReceiveBuffers, SendPingTimeout: time.Minute, PingTimeout: time.Minute,
		},
	}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetHTTP2(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	return s
}
