package client_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/client"
)

type object = map[string]any

// reply is one answer of a server. Its body is sent as it is if it is a string, and as JSON otherwise.
type reply struct {
	status int // 0: 200
	body   any
	header map[string]string
}

// recorded are the requests that a server got.
type recorded struct {
	mu       sync.Mutex
	requests []string
	headers  []http.Header
}

func (r *recorded) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

// serve starts a server that gives these answers, the last one again and again.
func serve(t *testing.T, replies ...reply) (address string, got *recorded) {
	t.Helper()
	got = &recorded{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got.mu.Lock()
		answer := replies[min(len(got.requests), len(replies)-1)]
		line := r.Method + " " + r.URL.RequestURI()
		if len(body) > 0 {
			line += " " + string(body)
		}
		got.requests, got.headers = append(got.requests, line), append(got.headers, r.Header)
		got.mu.Unlock()
		for name, value := range answer.header {
			w.Header().Set(name, value)
		}
		if answer.status != 0 {
			w.WriteHeader(answer.status)
		}
		if text, ok := answer.body.(string); ok {
			_, _ = io.WriteString(w, text)
			return
		}
		_ = json.NewEncoder(w).Encode(answer.body)
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

// connect makes a client.
func connect(t *testing.T, config client.Config) *client.Client {
	t.Helper()
	client, err := client.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}
