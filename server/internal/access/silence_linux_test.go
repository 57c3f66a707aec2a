package access_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/internal/access"
)

// What the kernel does about a client without a network cannot be had on loopback; that it was told to, can.
func TestConnectionsOfClientsThatLostTheNetworkEnd(t *testing.T) {
	t.Parallel()
	const userTimeout = 18 // TCP_USER_TIMEOUT
	for name, start := range map[string]func(*httptest.Server){"plain": (*httptest.Server).Start, "TLS": (*httptest.Server).StartTLS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := make(chan int, 1)
			config := access.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), slog.New(slog.DiscardHandler))
			inner := config.ConnContext
			config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
				ctx = inner(ctx, conn)
				if tls, ok := conn.(interface{ NetConn() net.Conn }); ok {
					conn = tls.NetConn()
				}
				raw, err := conn.(*net.TCPConn).SyscallConn() //nolint:forcetypeassert // a panic fails the test
				if err != nil {
					panic(err)
				}
				_ = raw.Control(func(fd uintptr) {
					value, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout)
					if err == nil {
						set <- value
					}
				})
				return ctx
			}
			server := httptest.NewUnstartedServer(nil)
			server.Config = config
			start(server)
			t.Cleanup(server.Close)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
			require.NoError(t, err)
			response, err := server.Client().Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, int(time.Minute.Milliseconds()), <-set)
		})
	}
}
