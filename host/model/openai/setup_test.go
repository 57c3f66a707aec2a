package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// A call leaves no goroutine behind, however it ends.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var apis = []openai.API{openai.ChatCompletions, openai.Responses}

// hello is a short answer of each API.
var hello = map[openai.API]string{
	openai.ChatCompletions: `{"id":"1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`,
	openai.Responses: `{"id":"1","model":"m","status":"completed","output":[{"type":"message","role":"assistant","content":` +
		`[{"type":"output_text","text":"hello","annotations":[]}]}]}`,
}

// helloStream is the same as a stream.
var helloStream = map[openai.API]string{
	openai.ChatCompletions: `data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"hel"},"finish_reason":null}]}` + "\n\n" +
		`data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
	openai.Responses: `data: {"type":"response.output_text.delta","delta":"hel"}` + "\n\n" + `data: {"type":"response.output_text.delta","delta":"lo"}` + "\n\n" +
		`data: {"type":"response.completed","response":` + hello[openai.Responses] + "}\n\n",
}

// recorded is a request that a server got.
type recorded struct {
	path, query string
	header      http.Header
	text        string
	body        map[string]any
}

// server answers requests and records them.
type server struct {
	*httptest.Server

	mutex    sync.Mutex
	requests []recorded
}

func (s *server) last(t testing.TB) recorded {
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

// serve starts a server that answers requests with the function.
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
		r.Body = io.NopCloser(strings.NewReader(request.text))
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// saying starts a server that answers each request with the same text.
func saying(t testing.TB, text string) *server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
}

// modelAt is a model of a server, of which nothing is left when the test ends.
func modelAt(t testing.TB, s *server, api openai.API) *openai.Model {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return &openai.Model{
		Name: "gpt-5.2", BaseURL: s.URL + "/v1", APIKey: "test-key", API: api, HTTPClient: client, Limits: model.Limits{MaxRetries: -1},
	}
}

func request(messages ...abi.Message) *model.Request {
	return &model.Request{Messages: history.Of(messages...)}
}

var hi = abi.Human("hi")

// answer is how a call ended.
type answer struct {
	text, reasoning string // of the chunks
	chunks          int
	resp            *model.Response
	err             error
}

func stream(ctx context.Context, m *openai.Model, req *model.Request) (out answer) {
	for chunk, err := range m.Stream(ctx, req) {
		out.text += chunk.Text
		out.reasoning += chunk.Reasoning
		out.chunks++
		out.resp, out.err = chunk.Response, err
	}
	return out
}

// ask asks in one of the two ways.
func ask(t testing.TB, m *openai.Model, req *model.Request, streaming bool) (*model.Response, error) {
	t.Helper()
	if streaming {
		out := stream(t.Context(), m, req)
		return out.resp, out.err
	}
	return m.Generate(t.Context(), req)
}

// eachWay runs a test for both APIs, with Generate and with Stream.
func eachWay(t *testing.T, test func(t *testing.T, api openai.API, streaming bool)) {
	t.Helper()
	for _, api := range apis {
		for name, streaming := range map[string]bool{"Generate": false, "Stream": true} {
			t.Run(string(api)+" "+name, func(t *testing.T) {
				t.Parallel()
				test(t, api, streaming)
			})
		}
	}
}

func testdata(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	require.NoError(t, err)
	return string(text)
}

// parsed returns JSON as a value, with its numbers as they are written.
func parsed(t testing.TB, text string) any {
	t.Helper()
	var out any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&out), text)
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

// blockOf returns a JSON object as a block.
func blockOf(t testing.TB, text string) abi.Block {
	t.Helper()
	return abi.BlockOf(mapOf(t, text))
}

// failure returns the error as the model's.
func failure(t testing.TB, err error) *model.Error {
	t.Helper()
	var out *model.Error
	require.ErrorAs(t, err, &out)
	require.Equal(t, openai.Provider, out.Provider)
	return out
}

// shown is an answer as text, a line for everything that is in it.
func shown(r *model.Response) string {
	m := r.AI()
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, block := range m.Content.Blocks() {
		switch {
		case len(block.Fields()) == 2 && block.Type() == abi.BlockText:
			add("%s %q", block.Type(), block.Text())
		default:
			fields := slices.Clone(block.Fields())
			fields.Delete("type")
			add("%s %s", block.Type(), fields.Raw().JSON())
		}
	}
	for _, call := range m.ToolCalls {
		add("call %s %s %s", call.ID, call.Name, call.Args.JSON())
	}
	for _, call := range m.InvalidToolCalls {
		add("malformed %s %s %s", call.ID, call.Name, call.Args)
	}
	meta := slices.Clone(m.Meta)
	for _, key := range []string{"id", "model", "provider", "stop_reason", "openai_server"} {
		meta.Delete(key)
	}
	if len(meta) > 0 {
		add("meta %s", meta.Raw().JSON())
	}
	if u := m.Usage; u != nil {
		add("usage %d + %d = %d, cache %d %d, thought %d", u.InputTokens, u.OutputTokens, u.TotalTokens, u.CacheReadTokens, u.CacheCreationTokens, u.ReasoningTokens)
	}
	if !r.Structured.IsZero() {
		add("structured %s", r.Structured.JSON())
	}
	add("stop %q", r.StopReason)
	return strings.Join(lines, "\n")
}

// thought is what a message holds of thinking.
func thought(m *abi.Message) string {
	var out strings.Builder
	for _, block := range m.Content.Blocks() {
		if block.Type() == abi.BlockReasoning {
			out.WriteString(block.Text())
		}
	}
	return out.String()
}

// oneServer is the address of models that have the same server.
const oneServer = "http://models.test/v1"

// client answers requests without a server.
func client(answer func(recorded) string) *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		request := recorded{path: r.URL.String(), query: r.URL.RawQuery, header: r.Header, text: string(text)}
		d := json.NewDecoder(strings.NewReader(request.text))
		d.UseNumber()
		if err := d.Decode(&request.body); err != nil {
			return nil, err
		}
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer(request))), Request: r,
		}, nil
	})}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
