//go:build linux

package load_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/pgtest"
	"github.com/agenthost/agenthost/test/serverprocess"
)

// soakers is how many clients soak a server.
const soakers = 16

// TestSoak has clients do all that clients do, for the time AGENTHOST_SERVER_SOAK (default 2s): nothing may be lost, and the server must have at the end
// what it had after a tenth of the time.
func TestSoak(t *testing.T) {
	t.Parallel()
	lasts := 2 * time.Second
	if text := os.Getenv("AGENTHOST_SERVER_SOAK"); text != "" {
		var err error
		lasts, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			address := "sqlite:" + filepath.Join(t.TempDir(), "agents.db")
			if database == "postgres" {
				address = pgtest.Address(t)
			}
			server := serverprocess.Start(t, serverprocess.Config{Database: address, Serve: limits})
			c := &client{url: server.URL(), http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: soakers}}}
			warm := c.soak(t, lasts/10)
			c.http.CloseIdleConnections()
			before := server.Measure()
			server.Forget()
			done := c.soak(t, lasts)
			c.http.CloseIdleConnections()
			after := server.RequireCalm(before)
			t.Logf("%d and %d times; at most %d MiB more, now %d MiB more, of these %d KiB of the heap", warm, done,
				(after.Peak-before.Resident)>>20, (after.Resident-before.Resident)>>20, (after.Heap-before.Heap)>>10)
			require.Less(t, (after.Heap-before.Heap)>>20, int64(16), "MiB of the heap afterwards")
			require.Less(t, (after.Peak-before.Resident)>>20, int64(150), "MiB more at the worst moment")
			server.RequireCleanLog()
			var left int
			require.NoError(t, c.do(t.Context(), http.MethodPost, "/threads/count", doc{}, &left))
			require.Zero(t, left, "threads that were removed")
		})
	}
}

// soak has the clients act until the time is over, and returns how often they did.
func (c *client) soak(t *testing.T, lasts time.Duration) int64 {
	t.Helper()
	deadline := time.Now().Add(lasts)
	acts := []func(context.Context, string) error{c.reads, c.cancels, c.comesBack, c.waits, c.remembers}
	var done atomic.Int64
	var clients sync.WaitGroup
	for first := range soakers {
		clients.Go(func() {
			for i := first; time.Now().Before(deadline) && !t.Failed(); i++ {
				if err := c.inThread(t.Context(), acts[i%len(acts)]); err != nil {
					t.Errorf("client %d, act %d: %v", first, i%len(acts), err)
				}
				done.Add(1)
			}
		})
	}
	clients.Wait()
	require.False(t, t.Failed())
	return done.Load()
}

// inThread makes a thread, acts in it, and removes it.
func (c *client) inThread(ctx context.Context, act func(ctx context.Context, thread string) error) error {
	var thread struct {
		ID string `json:"thread_id"`
	}
	if err := c.do(ctx, http.MethodPost, "/threads", doc{}, &thread); err != nil {
		return err
	}
	if err := act(ctx, "/threads/"+thread.ID); err != nil {
		return err
	}
	return c.drop(ctx, http.MethodDelete, "/threads/"+thread.ID, nil)
}

// drop sends a request and ignores the body of the answer.
func (c *client) drop(ctx context.Context, method, path string, body any) error {
	response, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close())
}

// order is the body of a run.
func order(text string) doc {
	return doc{
		"assistant_id": serverprocess.AgentName, "input": doc{"messages": []doc{{"type": "human", "content": text}}},
		"stream_mode": []string{"updates", "messages-tuple"}, "stream_resumable": true, "on_disconnect": "continue",
	}
}

// reads reads the stream of a run to its end.
func (c *client) reads(ctx context.Context, thread string) error {
	response, err := c.send(ctx, http.MethodPost, thread+"/runs/stream", order("steps 3"))
	if err != nil {
		return err
	}
	return errors.Join(whole(response.Body), response.Body.Close())
}

// cancels cancels a run that would not end.
func (c *client) cancels(ctx context.Context, thread string) error {
	var run struct {
		ID     string `json:"run_id"`
		Status string `json:"status"`
	}
	if err := c.do(ctx, http.MethodPost, thread+"/runs", order("hold"), &run); err != nil {
		return err
	}
	if err := c.drop(ctx, http.MethodPost, thread+"/runs/"+run.ID+"/cancel?wait=1", nil); err != nil {
		return err
	}
	if err := c.do(ctx, http.MethodGet, thread+"/runs/"+run.ID, nil, &run); err != nil {
		return err
	}
	if run.Status != "interrupted" {
		return fmt.Errorf("the cancelled run is %q", run.Status)
	}
	return nil
}

// comesBack leaves the stream of a run after its first bytes, and reads all of it then.
func (c *client) comesBack(ctx context.Context, thread string) error {
	response, err := c.send(ctx, http.MethodPost, thread+"/runs/stream", order("steps 3"))
	if err != nil {
		return err
	}
	_, err = io.ReadFull(response.Body, make([]byte, 100))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+response.Header.Get("Content-Location")+"/stream", http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Last-Event-ID", "-1")
	if response, err = c.http.Do(request); err != nil {
		return err
	}
	return errors.Join(whole(response.Body), response.Body.Close())
}

// waits waits for a run, and looks at the history of its thread.
func (c *client) waits(ctx context.Context, thread string) error {
	var values struct {
		Messages []doc `json:"messages"`
	}
	if err := c.do(ctx, http.MethodPost, thread+"/runs/wait", order("steps 1"), &values); err != nil {
		return err
	}
	var history []doc
	if err := c.do(ctx, http.MethodPost, thread+"/history", doc{}, &history); err != nil {
		return err
	}
	if len(values.Messages) != 4 || len(history) < 3 {
		return fmt.Errorf("the run has %d messages, and its thread %d states", len(values.Messages), len(history))
	}
	return nil
}

// remembers writes, finds and removes a value of the store.
func (c *client) remembers(ctx context.Context, thread string) error {
	namespace := []string{"soak", strings.TrimPrefix(thread, "/threads/")}
	item := doc{"namespace": namespace, "key": "k", "value": doc{"n": 1}}
	if err := c.drop(ctx, http.MethodPut, "/store/items", item); err != nil {
		return err
	}
	var found struct {
		Items []struct {
			Namespace []string `json:"namespace"`
		} `json:"items"`
	}
	if err := c.do(ctx, http.MethodPost, "/store/items/search", doc{"namespace_prefix": namespace}, &found); err != nil {
		return err
	}
	if len(found.Items) != 1 || !slices.Equal(found.Items[0].Namespace, namespace) {
		return fmt.Errorf("the store finds %v", found.Items)
	}
	return c.drop(ctx, http.MethodDelete, "/store/items", doc{"namespace": namespace, "key": "k"})
}
