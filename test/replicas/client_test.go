//go:build unix

package replicas_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// client talks to the proxy, and comes back after each cut as LangGraph's SDKs do.
type client struct {
	t   *testing.T
	url string
}

// frame is a frame of a stream.
type frame struct{ event, id, data string }

// reply is an answer whose body is still to be read. It is closed when the test ends.
type reply struct {
	status int
	body   io.ReadCloser
}

// try sends a request. It returns nil if a replica has died meanwhile, and perhaps heard it.
func (c *client) try(method, path string, body any, header ...string) *reply {
	text, err := json.Marshal(body)
	require.NoError(c.t, err)
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, bytes.NewReader(text))
	require.NoError(c.t, err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err == nil && response.StatusCode < 500 {
		c.t.Cleanup(func() { _ = response.Body.Close() })
		return &reply{response.StatusCode, response.Body}
	}
	if err == nil {
		_ = response.Body.Close()
	}
	require.NoError(c.t, pause(c.t.Context(), 100*time.Millisecond))
	return nil
}

// do sends a request until it is answered. It must be one that may be heard twice.
func (c *client) do(method, path string, body any, header ...string) *reply {
	for {
		if response := c.try(method, path, body, header...); response != nil {
			return response
		}
	}
}

// submit submits a run once: if nobody answers, it looks whether the run of this turn is there.
func (c *client) submit(thread, turn string, body map[string]any) (at string) {
	body["metadata"] = map[string]any{"turn": turn}
	for {
		var run map[string]any
		if response := c.try(http.MethodPost, "/threads/"+thread+"/runs", body); response != nil && json.NewDecoder(response.body).Decode(&run) == nil {
			return fmt.Sprint("/threads/", thread, "/runs/", run["run_id"])
		}
		var all []map[string]any
		for all == nil {
			response := c.do(http.MethodGet, "/threads/"+thread+"/runs?limit=1000", nil)
			_ = json.NewDecoder(response.body).Decode(&all)
		}
		for _, run := range all {
			if metadata, ok := run["metadata"].(map[string]any); ok && metadata["turn"] == turn {
				return fmt.Sprint("/threads/", thread, "/runs/", run["run_id"])
			}
		}
	}
}

func (c *client) object(method, path string, body any) map[string]any {
	for {
		var out map[string]any
		response := c.do(method, path, body)
		err := json.NewDecoder(response.body).Decode(&out)
		_ = response.body.Close()
		if err == nil {
			return out
		}
		require.NoError(c.t, c.t.Context().Err())
	}
}

// follow reads the stream of a run to its end, over all cuts. before are the frames that were seen already.
func (c *client) follow(at string, before []frame) []frame {
	for {
		last := "-1"
		if len(before) > 0 {
			last = before[len(before)-1].id
		}
		response := c.do(http.MethodGet, at+"/stream", nil, "Last-Event-ID", last)
		require.Equal(c.t, http.StatusOK, response.status)
		frames, whole := readFrames(response.body)
		_ = response.body.Close()
		before = append(before, frames...)
		if whole && c.over(at) {
			return before
		}
	}
}

func (c *client) over(at string) bool {
	status := c.object(http.MethodGet, at, nil)["status"]
	return status != "pending" && status != "running"
}

// readFrames reads frames, and reports whether the stream ended rather than broke.
func readFrames(stream io.Reader) (out []frame, whole bool) {
	lines := bufio.NewReader(stream)
	var f frame
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return out, errors.Is(err, io.EOF)
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "event":
			f.event = value
		case "id":
			f.id = value
		case "data":
			f.data = value
		case "":
			if f.data != "" {
				out = append(out, f)
			}
			f = frame{}
		}
	}
}
