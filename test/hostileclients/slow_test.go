//go:build linux

package hostileclients_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dribble writes a byte of a text in each interval until the connection is closed, and returns how long that took.
func dribble(t testing.TB, c net.Conn, text string, each time.Duration) (time.Duration, []answer) {
	t.Helper()
	begun := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(each)
		defer tick.Stop()
		for i := range text {
			if _, err := io.WriteString(c, text[i:i+1]); err != nil {
				return
			}
			<-tick.C
		}
	}()
	got := answers(t, c)
	took := time.Since(begun)
	_ = c.Close()
	<-done
	return took, got
}

func TestSlowBodies(t *testing.T) {
	t.Parallel()
	r := setup(t, "", ", body_timeout: 1s")
	const clients = 200
	var all sync.WaitGroup
	r.beside(64<<20, func() {
		for range clients {
			all.Go(func() {
				c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.server.Address)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(c, strings.ReplaceAll("POST /threads"+head+"Content-Length: 100000\r\n\r\n", "{key}", "X-Api-Key: "+r.key))
				took, got := dribble(t, c, strings.Repeat(" ", 100), 100*time.Millisecond)
				if len(got) != 1 || got[0].status != http.StatusRequestTimeout || took > 5*time.Second {
					t.Errorf("after %v: %v", took, got)
				}
			})
		}
		all.Wait()
	})
}

// Clients that send their headers a byte a second have ten seconds, as silent ones have.
func TestSlowHeaders(t *testing.T) {
	t.Parallel()
	slow(t)
	r := setup(t, "", "")
	const clients = 1000
	var all sync.WaitGroup
	r.beside(64<<20, func() {
		for i := range clients {
			all.Go(func() {
				c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.server.Address)
				if err != nil {
					t.Error(err)
					return
				}
				text := "GET /ok HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 1000)
				if i%10 == 0 {
					text = ""
				}
				took, got := dribble(t, c, text, time.Second)
				if len(got) > 0 && got[0].status != http.StatusBadRequest || took > 15*time.Second {
					t.Errorf("after %v: %v", took, got)
				}
			})
		}
		all.Wait()
	})
}

// A client that vanishes without a word looks like one that does not read: what the server sends waits until its time is over. Meanwhile
// the run goes on, and another client reads all of it.
func TestStreamsThatNobodyReads(t *testing.T) {
	t.Parallel()
	slow(t)
	const clients = 20
	r := setup(t, "sqlite:"+t.TempDir()+"/agents.db", "")
	r.beside(300<<20, func() {
		thread := r.thread()
		flood := order("flood 100000000")
		flood["stream_mode"] = "messages-tuple"
		run := r.object(http.MethodPost, "/threads/"+thread+"/runs", flood)
		at := fmt.Sprint("/threads/", thread, "/runs/", run["run_id"])
		for range clients {
			c := r.dial()
			require.NoError(t, c.(*net.TCPConn).SetReadBuffer(4096)) //nolint:forcetypeassert // it is one of TCP
			_, err := io.WriteString(c, strings.ReplaceAll("GET "+at+"/stream"+head+"Last-Event-ID: -1\r\n\r\n", "{key}", "X-Api-Key: "+r.key))
			require.NoError(t, err)
		}
		begun := time.Now()
		response, err := r.send(t.Context(), http.MethodGet, at+"/stream?stream_mode=messages-tuple", nil)
		require.NoError(t, err)
		read, err := io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		t.Logf("the reader got %d MB in %v", read/1_000_000, time.Since(begun))
		require.Greater(t, read, int64(hundredMB), "the tokens, each in a frame")
		require.Equal(t, "success", r.object(http.MethodGet, at, nil)["status"])
		require.Equal(t, http.StatusNoContent, remove(t, r, "/threads/"+thread))
	})
}

func remove(t *testing.T, r *rig, path string) int {
	t.Helper()
	response, err := r.send(t.Context(), http.MethodDelete, path, nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}
