//go:build linux

package hostileclients_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// descriptors skips a test that needs more open files than the system allows. Go raises the soft limit itself.
func descriptors(t *testing.T, n uint64) {
	t.Helper()
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if limit.Max < n {
		t.Skipf("the test needs %d descriptors, and the hard limit is %d: ulimit -Hn", n, limit.Max)
	}
}

// many is how many clients there are: few, or many with AGENTHOST_HOSTILE.
func many(few, all int) int {
	if os.Getenv("AGENTHOST_HOSTILE") == "" {
		return few
	}
	return all
}

func TestIdleConnections(t *testing.T) {
	t.Parallel()
	n := many(1000, 10_000)
	descriptors(t, uint64(n)+200)
	r := setup(t, "", "")
	r.beside(int64(n)*20<<10+32<<20, func() {
		all := make([]net.Conn, n)
		for i := range all {
			c := r.dial()
			all[i] = c
			if i%2 == 0 { // half of them are silent from the beginning, the others between two requests
				continue
			}
			_, err := io.WriteString(c, "GET /ok HTTP/1.1\r\nHost: localhost\r\n\r\n")
			require.NoError(t, err)
			_, err = c.Read(make([]byte, 4096))
			require.NoError(t, err)
		}
		now := r.server.Measure()
		t.Logf("%d idle connections: %d bytes each", n, (now.Resident-r.before.Resident)/int64(n))
		for _, c := range all {
			require.NoError(t, c.Close())
		}
	})
}

// Streams of a run that says nothing, of its thread, and clients that wait for its end.
func TestIdleStreams(t *testing.T) {
	t.Parallel()
	n := many(200, 1000)
	descriptors(t, uint64(n)+200)
	for name, test := range map[string]struct {
		database string
		most     int64
	}{
		"memory": {"", 60 << 20},
		"sqlite": {"sqlite:" + t.TempDir() + "/agents.db", 80 << 20}, // each stream looks into the database by itself, which needs a larger stack
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t, test.database, "")
			r.beside(test.most+20<<20, func() {
				thread := r.thread()
				run := r.object(http.MethodPost, "/threads/"+thread+"/runs", order("hold"))
				at := fmt.Sprint("/threads/", thread, "/runs/", run["run_id"])
				paths := []string{at + "/stream", at + "/join", "/threads/" + thread + "/stream", at + "/stream?stream_mode=values"}
				all := make([]net.Conn, n)
				for i := range all {
					all[i] = r.dial()
					_, err := io.WriteString(all[i], strings.ReplaceAll("GET "+paths[i%len(paths)]+head+"\r\n", "{key}", "X-Api-Key: "+r.key))
					require.NoError(t, err)
					if strings.HasSuffix(paths[i%len(paths)], "/join") {
						continue // it says nothing before its first heartbeat
					}
					_, err = all[i].Read(make([]byte, 1))
					require.NoError(t, err)
				}
				now := r.server.Measure()
				more := now.Resident - r.before.Resident
				t.Logf("%d idle streams: %d bytes each, of which the heap has %d", n, more/int64(n), (now.Heap-r.before.Heap)/int64(n))
				require.Less(t, more, test.most)
				for _, c := range all {
					require.NoError(t, c.Close())
				}
				status, _ := r.do(http.MethodPost, at+"/cancel?wait=true", nil)
				require.Equal(t, http.StatusOK, status)
			})
		})
	}
}

// Each client opens a thread with a name that nearly fills a body.
func TestHugeNames(t *testing.T) {
	t.Parallel()
	n := many(100, 1000)
	descriptors(t, uint64(n)+200)
	r := setup(t, "", "")
	name := strings.Repeat("n", 4<<20-100)
	var refused, id, large, cut atomic.Int64
	r.beside(600<<20, func() {
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				begin, end := `{"metadata":{"name":"`, `"}}`
				if i%2 == 1 {
					begin, end = `{"thread_id":"`, `"}`
				}
				response, err := r.send(t.Context(), http.MethodPost, "/threads", io.MultiReader(strings.NewReader(begin), strings.NewReader(name), strings.NewReader(end)))
				if err != nil { // the test itself was too slow to send the headers in time
					cut.Add(1)
					return
				}
				text, _ := io.ReadAll(response.Body)
				_ = response.Body.Close()
				switch says := fmt.Sprint(response.StatusCode, " ", answer{0, string(text)}.detail()); {
				case response.StatusCode == http.StatusBadRequest && len(text) == 0, response.StatusCode == http.StatusRequestTimeout:
					cut.Add(1)
				case strings.HasPrefix(says, "503 "):
					refused.Add(1)
				case strings.HasPrefix(says, "422 Invalid thread ID"):
					id.Add(1)
				case strings.HasPrefix(says, "422 ") && strings.Contains(says, "metadata"):
					large.Add(1)
				default:
					t.Errorf("%d %.300s", response.StatusCode, text)
				}
			})
		}
		all.Wait()
	}, "too many large requests")
	t.Logf("%d names that are not ids, %d that are too large, %d that the server had no room for, %d clients were cut",
		id.Load(), large.Load(), refused.Load(), cut.Load())
	require.Positive(t, id.Load())
	require.Positive(t, large.Load())
	require.Less(t, cut.Load(), int64(n)/4)
}
