package anthropic_test

import (
	"encoding/json"
	"errors"
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
	"github.com/agenthost/agenthost/host/model/anthropic"
)

func TestMain(m *testing.M) {
	_ = os.Unsetenv(anthropic.APIKeyVariable)
	goleak.VerifyTestMain(m)
}

// server answers all requests in the same way, and records them.
type server struct {
	*httptest.Server

	mu       sync.Mutex
	requests []recorded
}

type recorded struct {
	method, path string
	header       http.Header
	body         []byte
}

func serve(t testing.TB, answer http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, recorded{r.Method, r.URL.RequestURI(), r.Header, body})
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// model is a model of the server, with a client that keeps no connection.
func (s *server) model(t testing.TB) *anthropic.Model {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &anthropic.Model{
		Limits: model.Limits{MaxRetries: -1},
		Name:   "claude-haiku-4-5", BaseURL: s.URL, APIKey: "sk-ant-test", HTTPClient: &http.Client{Transport: transport},
	}
}

// last is the body of the last request.
func (s *server) last(t testing.TB) map[string]any {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(t, s.requests)
	var body map[string]any
	require.NoError(t, json.Unmarshal(s.requests[len(s.requests)-1].body, &body))
	return body
}

// says answers with a body.
func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// answers answers with JSON, streams with a stream.
func answers(body string) http.HandlerFunc { return says(http.StatusOK, "application/json", body) }
func streams(body string) http.HandlerFunc { return says(http.StatusOK, "text/event-stream", body) }

// plain is a short answer.
const plain = `{"id":"msg_01","type":"message","role":"assistant","content":[{"type":"text","text":"hi"}],` +
	`"model":"claude-haiku-4-5","stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`

func file(t testing.TB, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	require.NoError(t, err)
	return string(b)
}

func request(messages ...abi.Message) *model.Request {
	return &model.Request{Messages: history.Of(messages...)}
}

// streamed is what a stream gives: its chunks joined, and its response.
type streamed struct {
	text, reasoning string
	response        *model.Response
}

func stream(t testing.TB, m model.Streamer, req *model.Request) (out streamed, err error) {
	t.Helper()
	for chunk, err := range m.Stream(t.Context(), req) {
		if err != nil {
			require.Equal(t, model.Chunk{}, chunk)
			return out, err
		}
		require.Nil(t, out.response, "nothing comes after the response")
		out.text += chunk.Text
		out.reasoning += chunk.Reasoning
		out.response = chunk.Response
	}
	require.NotNil(t, out.response, "a stream without an error has a response")
	return out, nil
}

// failure is the typed error that is expected.
func failure(t testing.TB, err error) *model.Error {
	t.Helper()
	var failed *model.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, anthropic.Provider, failed.Provider)
	require.NotContains(t, err.Error(), "sk-ant-test")
	return failed
}

func fromJSON(t testing.TB, text string) wire.Raw {
	t.Helper()
	raw, err := wire.FromJSON([]byte(text), wire.Limits{})
	require.NoError(t, err)
	return raw
}

// settings are settings from JSON.
func settings(t testing.TB, text string) (m wire.Map) {
	t.Helper()
	_, err := m.UnmarshalMsg(fromJSON(t, text))
	require.NoError(t, err)
	return m
}

// block is a block from JSON.
func block(t testing.TB, text string) abi.Block {
	t.Helper()
	return abi.BlockOf(settings(t, text))
}

// value is JSON as Go values.
func value(t testing.TB, text string) (v any) {
	t.Helper()
	require.NoError(t, json.NewDecoder(strings.NewReader(text)).Decode(&v))
	return v
}

// of is a value as one of a type.
func of[T any](t testing.TB, v any) T {
	t.Helper()
	out, ok := v.(T)
	require.True(t, ok, "%T", v)
	return out
}

var errPlain = errors.New("plain")
