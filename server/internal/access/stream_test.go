package access_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/sse"
)

func TestStreamsOutliveTheDeadlinesOfTheWrappers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		logger, text := logged()
		n := 0
		stream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = sse.Serve(w, r, func(context.Context) ([]sse.Event, <-chan struct{}, error) {
				time.Sleep(41 * time.Second)
				n++
				if n == 3 {
					return nil, nil, io.EOF
				}
				return []sse.Event{{Data: []byte("x")}}, nil, nil
			}, sse.Config{})
		})
		c := serve(t, access.Chain(stream, access.RequestIDs(), access.Log(logger), access.Recover(logger), access.Bodies(100, 10*time.Second),
			access.WriteDeadlines(15*time.Second)))
		go func() { _, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}") }()
		status, body := receive(t, c)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, 2, strings.Count(body, "data: x\n\n"))
		require.Equal(t, 24, strings.Count(body, ": heartbeat\n\n"))
		require.Contains(t, text(), "duration=2m3s")
	})
}

func TestStreamOfAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, failed := time.Now(), make(chan error, 1)
		c := serve(t, access.WriteDeadlines(time.Minute)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			failed <- sse.Serve(w, r, func(context.Context) ([]sse.Event, <-chan struct{}, error) { return nil, nil, io.EOF }, sse.Config{})
		})))
		send(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.ErrorIs(t, <-failed, sse.ErrClientGone)
		require.Equal(t, sse.DefaultWriteTimeout, time.Since(begun), "the stream's own deadline applies")
	})
}
