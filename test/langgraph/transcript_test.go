package langgraph_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exchange is one line of a recording.
type exchange struct {
	N       int    `json:"n"`
	Note    string `json:"note"`
	Request struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Query   map[string]any    `json:"query"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
	} `json:"request"`
	Response answer `json:"response"`
}

// answer is the answer to a request.
type answer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body"`
	SSE     []frame           `json:"sse"`
	Left    bool              `json:"client_hung_up"` // the client went away before the end of the stream
	Open    bool              `json:"read_timeout"`   // the stream has no end; the client went away when nothing came any more
}

// frame is a frame of a stream.
type frame struct {
	Event string `json:"event"`
	ID    string `json:"id"`
	Data  any    `json:"data"`
}

// transcripts returns all recordings by their names.
func transcripts(t *testing.T) map[string][]exchange {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	out := map[string][]exchange{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, len(text)+1)
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		for lines.Scan() {
			var e exchange
			require.NoError(t, json.Unmarshal(lines.Bytes(), &e), file)
			out[name] = append(out[name], e)
		}
		require.NoError(t, lines.Err())
	}
	return out
}
