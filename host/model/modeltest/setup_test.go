package modeltest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
)

// The APIs of the providers, by name.
const (
	chat      = "openai chat"
	responses = "openai responses"
	messages  = "anthropic"
	generate  = "gemini"
)

var allAPIs = []string{chat, responses, messages, generate}

// server gives each request the next of its answers, and records what it was asked.
type server struct {
	*httptest.Server

	mutex  sync.Mutex
	bodies []map[string]any
}

// serve starts a server.
func serve(t *testing.T, answers ...string) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var body map[string]any
		_ = json.Unmarshal(text, &body)
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.bodies = append(s.bodies, body)
		_, _ = io.WriteString(w, answers[min(len(s.bodies), len(answers))-1])
	}))
	t.Cleanup(s.Close)
	return s
}

// last returns the body of the last request.
func (s *server) last(t *testing.T) map[string]any {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	require.NotEmpty(t, s.bodies)
	return s.bodies[len(s.bodies)-1]
}

// modelOf returns a model that speaks an API with a server.
func modelOf(t *testing.T, api, address string) model.Streamer {
	t.Helper()
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()} //nolint:forcetypeassert // it is one
	t.Cleanup(client.CloseIdleConnections)
	switch api {
	case messages:
		thinking, err := wire.MapOf(map[string]any{"thinking": map[string]any{"type": "enabled", "budget_tokens": 1024}})
		require.NoError(t, err)
		return &anthropic.Model{Name: "claude-sonnet-4-5", BaseURL: address, Settings: thinking, HTTPClient: client}
	case generate:
		return &gemini.Model{Name: "gemini-3-flash", BaseURL: address, HTTPClient: client}
	case responses:
		return &openai.Model{Name: "gpt-5.2", BaseURL: address + "/v1", API: openai.Responses, HTTPClient: client}
	default:
		return &openai.Model{Name: "gpt-5.2", BaseURL: address + "/v1", HTTPClient: client}
	}
}

// ask sends a request in one of the two ways.
func ask(t *testing.T, m model.Streamer, req *model.Request, streamed bool) (resp *model.Response, err error) {
	t.Helper()
	if !streamed {
		return m.Generate(t.Context(), req)
	}
	for chunk, failed := range m.Stream(t.Context(), req) {
		resp, err = chunk.Response, failed
	}
	return resp, err
}
