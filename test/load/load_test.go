//go:build linux

package load_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/pgtest"
	"github.com/agenthost/agenthost/test/serverprocess"
)

type doc = map[string]any

// limits are those of a server whose only client is the test.
const limits = "limits: {requests_per_second: 1000000, burst: 1000000, streams_per_owner: 10000, runs_per_owner: 10000}"

// atOnce is how many clients there are.
const atOnce = 200

// size returns how many runs there are.
func size(t *testing.T) int {
	t.Helper()
	text := os.Getenv("AGENTHOST_LOAD")
	if text == "" {
		return 60
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// TestLoad makes runs in threads of their own. Each client reads the stream of its run, which must be whole.
func TestLoad(t *testing.T) { //nolint:paralleltest // the two measure
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			address := "sqlite:" + filepath.Join(t.TempDir(), "agents.db")
			if database == "postgres" {
				address = pgtest.Address(t)
			}
			n := size(t)
			server := serverprocess.Start(t, serverprocess.Config{Database: address, Serve: limits})
			c := &client{url: server.URL(), http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}}
			require.NoError(t, c.run(t.Context()))
			c.http.CloseIdleConnections()
			before := server.Measure()
			server.Forget()
			end := func() {}
			if to := os.Getenv("AGENTHOST_PROFILE"); to != "" {
				stop := server.ProfileCPU(filepath.Join(to, database+".cpu"))
				end = func() { stop(); server.ProfileAllocations(filepath.Join(to, database+".allocs")) }
			}
			begun := time.Now()
			took := c.runs(t, n)
			all := time.Since(begun)
			end()
			c.http.CloseIdleConnections()
			after := server.RequireCalm(before)
			slices.Sort(took)
			t.Logf("%d runs, %d at once: %.0f a second, p50 %v, p99 %v, at most %v; at most %d MiB more, now %d MiB more", n, atOnce,
				float64(n)/all.Seconds(), took[n/2], took[n*99/100], took[n-1], (after.Peak-before.Resident)>>20, (after.Resident-before.Resident)>>20)
			require.Less(t, (after.Peak-before.Resident)>>20, int64(300), "MiB more at the worst moment")
			require.Less(t, (after.Heap-before.Heap)>>20, int64(20), "MiB of the heap afterwards")
			server.RequireCleanLog()
			for status, want := range map[string]int{"idle": n + 1, "busy": 0, "error": 0, "interrupted": 0} {
				var count int
				require.NoError(t, c.do(t.Context(), http.MethodPost, "/threads/count", doc{"status": status}, &count))
				require.Equal(t, want, count, status)
			}
		})
	}
}

type client struct {
	url  string
	http *http.Client
}

// runs makes n runs, and returns how long each took.
func (c *client) runs(t *testing.T, n int) []time.Duration {
	t.Helper()
	took := make([]time.Duration, n)
	next := make(chan int)
	var clients sync.WaitGroup
	for range atOnce {
		clients.Go(func() {
			for i := range next {
				begun := time.Now()
				if err := c.run(t.Context()); err != nil {
					t.Errorf("run %d: %v", i, err)
				}
				took[i] = time.Since(begun)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	clients.Wait()
	require.False(t, t.Failed())
	return took
}

func (c *client) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(r)
	if err == nil && response.StatusCode >= http.StatusBadRequest {
		text, _ := io.ReadAll(response.Body)
		err = errors.Join(fmt.Errorf("%s: %d %s", path, response.StatusCode, text), response.Body.Close())
	}
	return response, err
}

func (c *client) do(ctx context.Context, method, path string, body, answer any) error {
	response, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(response.Body)
	return errors.Join(err, response.Body.Close(), json.Unmarshal(text, answer))
}

// run makes a run of three steps in a new thread, and checks its stream and what the thread holds then.
func (c *client) run(ctx context.Context) error {
	var thread struct {
		ID string `json:"thread_id"`
	}
	if err := c.do(ctx, http.MethodPost, "/threads", doc{}, &thread); err != nil {
		return err
	}
	response, err := c.send(ctx, http.MethodPost, "/threads/"+thread.ID+"/runs/stream", doc{
		"assistant_id": serverprocess.AgentName, "input": doc{"messages": []doc{{"type": "human", "content": "steps 3"}}},
		"stream_mode": []string{"updates", "messages-tuple"},
	})
	if err != nil {
		return err
	}
	if err := errors.Join(whole(response.Body), response.Body.Close()); err != nil {
		return err
	}
	var state struct {
		Next   []string `json:"next"`
		Values struct {
			Messages []json.RawMessage `json:"messages"`
		} `json:"values"`
	}
	if err := c.do(ctx, http.MethodGet, "/threads/"+thread.ID+"/state", nil, &state); err != nil {
		return err
	}
	if len(state.Values.Messages) != 8 || len(state.Next) != 0 {
		return fmt.Errorf("the thread has %d messages, and goes on with %q", len(state.Values.Messages), state.Next)
	}
	return nil
}

// whole reads the stream of a run, and reports what is lost or comes twice: four updates of the model, three of the tools, and the tokens of the answer.
func whole(stream io.Reader) error {
	counts, tokens, ids := map[string]int{}, "", map[string]bool{}
	lines := bufio.NewReader(stream)
	event := ""
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "event":
			event = value
			counts[event]++
		case "id":
			if ids[value] {
				return fmt.Errorf("the event %s comes twice", value)
			}
			ids[value] = true
		case "data":
			if event == "messages" {
				var token []struct {
					Type    string `json:"type"`
					Content string `json:"content"`
				}
				if err := json.Unmarshal([]byte(value), &token); err != nil {
					return err
				}
				if token[0].Type == "AIMessageChunk" {
					tokens += token[0].Content
				}
			}
		default:
		}
	}
	if counts["updates"] != 7 || counts["metadata"] != 1 || counts["error"] != 0 || !strings.HasSuffix(tokens, "I made 3 steps.") {
		return fmt.Errorf("the stream has %v and says %q", counts, tokens)
	}
	return nil
}
