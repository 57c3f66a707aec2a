package gemini_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/gemini"
)

// A call leaves no goroutine behind, however it ends.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const hello = `{"candidates":[{"content":{"parts":[{"text":"hello"}],"role":"model"},"finishReason":"STOP"}]}`

// recorded is a request that a server got.
type recorded struct {
	path, query string
	header      http.Header
	text        string
	body        map[string]any
}

// server answers each request with the next of its answers, the last again and again.
type server struct {
	*httptest.Server

	mutex    sync.Mutex
	requests []recorded
}

func (s *server) last(t *testing.T) recorded {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	require.NotEmpty(t, s.requests)
	return s.requests[len(s.requests)-1]
}

func (s *server) count() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.requests)
}

// serve starts a server that records requests and answers them with the function.
func serve(t testing.TB, answer http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		request := recorded{path: r.URL.Path, query: r.URL.RawQuery, header: r.Header, text: string(text)}
		_ = json.Unmarshal(text, &request.body)
		s.mutex.Lock()
		s.requests = append(s.requests, request)
		s.mutex.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// saying starts a server that answers with texts, one for each request, the last again and again.
func saying(t testing.TB, texts ...string) *server {
	t.Helper()
	var s *server
	s = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, texts[min(s.count(), len(texts))-1])
	})
	return s
}

func modelAt(t testing.TB, s *server) *gemini.Model {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return &gemini.Model{Name: "gemini-3-flash", BaseURL: s.URL, APIKey: "test-key", HTTPClient: client, Limits: model.Limits{MaxRetries: -1}}
}

func request(messages ...abi.Message) *model.Request {
	return &model.Request{Messages: history.Of(messages...)}
}

// stream returns the chunks of an answer, without the last, and that.
func stream(ctx context.Context, m *gemini.Model, req *model.Request) (chunks []model.Chunk, resp *model.Response, err error) {
	for chunk, err := range m.Stream(ctx, req) {
		switch {
		case err != nil:
			return chunks, nil, err
		case chunk.Response != nil:
			resp = chunk.Response
		default:
			chunks = append(chunks, chunk)
		}
	}
	return chunks, resp, nil
}

// ask asks in one of the two ways.
func ask(ctx context.Context, m *gemini.Model, req *model.Request, streaming bool) (*model.Response, error) {
	if streaming {
		_, resp, err := stream(ctx, m, req)
		return resp, err
	}
	return m.Generate(ctx, req)
}

// asEvent returns a document as a response comes: whole, or as a stream of one event.
func asEvent(document string, streaming bool) string {
	if streaming {
		return "data: " + strings.ReplaceAll(document, "\n", " ") + "\r\n\r\n"
	}
	return document
}

// bothWays runs a test for Generate and for Stream.
func bothWays(t *testing.T, test func(t *testing.T, streaming bool)) {
	t.Helper()
	for name, streaming := range map[string]bool{"Generate": false, "Stream": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, streaming)
		})
	}
}

func testdata(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	require.NoError(t, err)
	return string(text)
}

// parsed returns JSON as a value.
func parsed(t testing.TB, text string) any {
	t.Helper()
	var out any
	require.NoError(t, json.Unmarshal([]byte(text), &out))
	return out
}

// rawOf returns JSON as a msgpack value.
func rawOf(t testing.TB, text string) wire.Raw {
	t.Helper()
	raw, err := wire.FromJSON([]byte(text), wire.Limits{})
	require.NoError(t, err)
	return raw
}

// mapOf returns a JSON object as a msgpack map.
func mapOf(t testing.TB, text string) wire.Map {
	t.Helper()
	var out wire.Map
	require.NoError(t, out.UnmarshalJSON([]byte(text)))
	return out
}

// failure returns the error as the model's.
func failure(t *testing.T, err error) *model.Error {
	t.Helper()
	var out *model.Error
	require.ErrorAs(t, err, &out)
	require.Equal(t, gemini.Provider, out.Provider)
	return out
}
