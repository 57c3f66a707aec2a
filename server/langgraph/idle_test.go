package langgraph_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A stream in which nothing happens has the two goroutines of its connection, and no others.
func TestSilentStreamsHaveNoGoroutines(t *testing.T) { //nolint:paralleltest // it counts all goroutines
	r := setup(t, "{}")
	thread := r.thread()
	run := r.object("POST", "/threads/"+thread+"/runs", doc{"assistant_id": "agent", "input": human("block")})
	<-r.began
	defer close(r.let)
	const many, ofTheTest = 20, 5
	for name, path := range map[string]string{
		"of a thread": "/threads/" + r.thread() + "/stream",
		"of a run":    "/threads/" + thread + "/runs/" + textIn(run["run_id"]) + "/stream",
	} {
		t.Run(name, func(t *testing.T) {
			r.client.CloseIdleConnections()
			before := runtime.NumGoroutine()
			conns := make([]net.Conn, many)
			for i := range conns {
				conns[i] = openStream(t, r.url, path)
			}
			require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2*many+ofTheTest }, 10*time.Second, 10*time.Millisecond)
			for _, c := range conns {
				require.NoError(t, c.Close())
			}
			require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+ofTheTest }, 10*time.Second, 10*time.Millisecond)
		})
	}
}

// openStream asks for a stream by a connection of its own, which needs no goroutine here, and reads the headers of the answer.
func openStream(t *testing.T, url, path string) net.Conn {
	t.Helper()
	host := strings.TrimPrefix(url, "http://")
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host)
	require.NoError(t, err)
	lines := bufio.NewReader(io.LimitReader(conn, 4096))
	status, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, status, "200")
	for line := status; line != "\r\n"; {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	return conn
}
