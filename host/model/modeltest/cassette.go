package modeltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/regularfile"
)

// RecordVariable is the environment variable that makes [Cassette] record again, if it is "1".
const RecordVariable = "AGENTHOST_RECORD"

// maxCassette is the size of the largest cassette, in bytes.
const maxCassette = 64 << 20

// exchange is a request and its response in a cassette. It omits everything that identifies the sender: request headers, host
// and query.
type exchange struct {
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	Request  json.RawMessage `json:"request,omitempty"`
	Status   int             `json:"status"`
	Headers  http.Header     `json:"headers,omitempty"`
	Response string          `json:"response"`
}

// keptHeaders lists the response headers that models use.
var keptHeaders = []string{"Content-Type", "Retry-After", "Retry-After-Ms"}

// Cassette returns a client that replays a provider's recorded answers from a file, for formats that no test server offers.
// The requests must come in the recorded order, with the same paths and JSON bodies; any other request is an error. If the
// environment variable AGENTHOST_RECORD is "1", Cassette sends the requests instead, and writes the file when the test has
// passed.
func Cassette(t *testing.T, path string) *http.Client {
	t.Helper()
	if os.Getenv(RecordVariable) == "1" {
		r := &recorder{}
		t.Cleanup(func() {
			if !t.Failed() {
				r.save(t, path)
			}
		})
		return &http.Client{Transport: r}
	}
	text, err := regularfile.Read(path, maxCassette)
	if err != nil {
		t.Fatal(err)
	}
	r := &replay{path: path}
	if err := json.Unmarshal(text, &r.left); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return &http.Client{Transport: r}
}

// bodyOf reads the body of a request and restores it.
func bodyOf(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(req.Body)
	err = errors.Join(err, req.Body.Close())
	req.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}

// recorder sends requests and records the exchanges.
type recorder struct {
	mu  sync.Mutex
	all []exchange
}

// RoundTrip sends a request. It reads the whole response first, so it is unsuitable for tests of streaming itself.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	asked, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	answered, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if len(asked) > 0 && !json.Valid(asked) || !utf8.Valid(answered) {
		return nil, errors.New("a cassette can only hold requests in JSON and answers in UTF-8")
	}
	resp.Body = io.NopCloser(bytes.NewReader(answered))
	e := exchange{Method: req.Method, Path: req.URL.Path, Request: asked, Status: resp.StatusCode, Response: string(answered)}
	for _, name := range keptHeaders {
		if value := resp.Header.Get(name); value != "" {
			if e.Headers == nil {
				e.Headers = http.Header{}
			}
			e.Headers.Set(name, value)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, e)
	return resp, nil
}

func (r *recorder) save(t *testing.T, path string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := json.MarshalIndent(r.all, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o600)
	}
	if err != nil {
		t.Error(err)
	}
}

// replay answers requests from a cassette.
type replay struct {
	path string
	mu   sync.Mutex
	left []exchange
	n    int
}

// RoundTrip answers the next request.
func (r *replay) RoundTrip(req *http.Request) (*http.Response, error) {
	asked, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.left) == 0 {
		return nil, fmt.Errorf("%s ends after the %d requests that were made; set %s=1 to record it again", r.path, r.n, RecordVariable)
	}
	e := r.left[0]
	if e.Method != req.Method || e.Path != req.URL.Path || !sameJSON(e.Request, asked) {
		return nil, fmt.Errorf("%s: request %d is %s %s %s, but %s %s %s was made; set %s=1 to record it again",
			r.path, r.n+1, e.Method, e.Path, e.Request, req.Method, req.URL.Path, asked, RecordVariable)
	}
	r.left, r.n = r.left[1:], r.n+1
	header := e.Headers.Clone()
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		StatusCode: e.Status, Status: fmt.Sprint(e.Status, " ", http.StatusText(e.Status)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader([]byte(e.Response))), ContentLength: int64(len(e.Response)), Request: req,
	}, nil
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
