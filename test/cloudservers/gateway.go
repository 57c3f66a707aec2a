package cloudservers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Server is the server of a cloud.
type Server struct {
	*httptest.Server

	upstream string

	mu       sync.Mutex
	requests []Request
}

// Request is a request that the server got.
type Request struct {
	URI     string // as it was sent
	Header  http.Header
	Body    []byte
	Refused string // why the server refused it; "": it did not
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// refusal is an error response.
type refusal struct {
	status int
	code   string
	text   string
}

func (r *refusal) Error() string { return r.code + ": " + r.text }

func refuse(status int, code, format string, args ...any) *refusal {
	return &refusal{status, code, fmt.Sprintf(format, args...)}
}

// cloud is what a cloud does.
type cloud interface {
	// admit checks a request. It returns the path and the body for the upstream server.
	admit(r *http.Request, body []byte) (path string, out []byte, err *refusal)
	// fail writes an error response.
	fail(w http.ResponseWriter, r *refusal)
	// pass writes the response of the upstream server.
	pass(w http.ResponseWriter, resp *http.Response) error
}

func start(t testing.TB, upstream string, c cloud) *Server {
	t.Helper()
	s := &Server{upstream: upstream}
	client := &http.Client{Transport: &http.Transport{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		path, out, refused := c.admit(r, body)
		request := Request{URI: r.RequestURI, Header: r.Header.Clone(), Body: body}
		if refused != nil {
			request.Refused = refused.Error()
		}
		s.mu.Lock()
		s.requests = append(s.requests, request)
		s.mu.Unlock()
		if refused != nil {
			c.fail(w, refused)
			return
		}
		s.forward(w, r, client, c, path, out)
	}))
	t.Cleanup(func() {
		s.Close()
		client.CloseIdleConnections()
	})
	return s
}

// forward passes a request on. It cuts the connection if the upstream server does.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, client *http.Client, c cloud, path string, body []byte) {
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, s.upstream+path, bytes.NewReader(body)) //nolint:gosec // the test chooses the server
	if err != nil {
		c.fail(w, refuse(http.StatusBadRequest, "ValidationException", "%v", err))
		return
	}
	maps.Copy(req.Header, r.Header)
	req.Header.Del("Accept")
	req.Header.Del("Authorization")
	resp, err := client.Do(req) //nolint:gosec // the test chooses the server
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= http.StatusBadRequest {
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		for _, name := range []string{"Retry-After", "X-Should-Retry"} {
			if value := resp.Header.Get(name); value != "" {
				w.Header().Set(name, value)
			}
		}
		c.fail(w, &refusal{resp.StatusCode, "", messageOf(text)})
		return
	}
	if err := c.pass(w, resp); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// copied passes a response on unchanged, piece by piece.
func copied(w http.ResponseWriter, resp *http.Response) error {
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	buffer := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buffer)
		if _, writing := w.Write(buffer[:n]); writing != nil {
			return writing
		}
		if flushing := http.NewResponseController(w).Flush(); flushing != nil {
			return flushing
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// messageOf returns the message of an error body of OpenAI, Anthropic or Gemini.
func messageOf(text []byte) string {
	var said struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &said); err != nil || said.Error.Message == "" {
		return string(text)
	}
	return said.Error.Message
}

// writeJSON writes a JSON document. A client that has gone needs none.
func writeJSON(w io.Writer, document any) {
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	_, _ = w.Write(text)
}

// edited returns a JSON object with some fields set, or removed if the value is nil.
func edited(body []byte, fields map[string]any) ([]byte, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, err
	}
	for key, value := range fields {
		if value == nil {
			delete(object, key)
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		object[key] = text
	}
	return json.Marshal(object)
}
