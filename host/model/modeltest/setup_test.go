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
	"github.com/agenthost/agenthost/host/model/azure"
	"github.com/agenthost/agenthost/host/model/bedrock"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/model/vertex"
	"github.com/agenthost/agenthost/test/cloudservers"
)

// The APIs of the providers, by name.
const (
	chat      = "openai chat"
	responses = "openai responses"
	messages  = "anthropic"
	generate  = "gemini"

	onBedrock        = "bedrock"
	onVertexMessages = "vertex anthropic"
	onVertexGenerate = "vertex gemini"
	onAzureChat      = "azure chat"
	onAzureResponses = "azure responses"
)

var allAPIs = []string{
	chat, responses, messages, generate, onBedrock, onVertexMessages, onVertexGenerate, onAzureChat, onAzureResponses,
}

// spoken returns the API that a cloud speaks; other APIs are their own.
func spoken(api string) string {
	switch api {
	case onBedrock, onVertexMessages:
		return messages
	case onVertexGenerate:
		return generate
	case onAzureChat:
		return chat
	case onAzureResponses:
		return responses
	default:
		return api
	}
}

// server gives each request the next of its answers, and records what it was asked.
type server struct {
	*httptest.Server

	mutex   sync.Mutex
	answers []string
	bodies  []map[string]any
}

// serve starts a server.
func serve(t *testing.T, answers ...string) *server {
	t.Helper()
	s := &server{answers: answers}
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
		_, _ = io.WriteString(w, s.answers[min(len(s.bodies), len(s.answers))-1])
	}))
	t.Cleanup(s.Close)
	return s
}

// say adds an answer.
func (s *server) say(answer string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.answers = append(s.answers, answer)
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
	thinking, err := wire.MapOf(map[string]any{"thinking": map[string]any{"type": "enabled", "budget_tokens": 1024}})
	require.NoError(t, err)
	const token = "token-of-the-test"
	google, azureAccount := &cloudservers.Google{Project: "p", Location: "global"}, &cloudservers.Azure{Deployment: "my-gpt", APIKey: token}
	google.Admit(token)
	onVertex := &vertex.Platform{Project: "p", TrustBaseURL: true}
	switch api {
	case onBedrock:
		account := &cloudservers.AWS{KeyID: "AKIDEXAMPLE", Secret: "secret-access-key", Region: "eu-central-1"}
		return &anthropic.Model{
			Name: "eu.anthropic.claude-sonnet-4-5-v1:0", BaseURL: cloudservers.Bedrock(t, address, account).URL, Settings: thinking, HTTPClient: client,
			LookupEnv: variables(account.Variables()), Platform: &bedrock.Platform{TrustBaseURL: true},
		}
	case onVertexMessages:
		return &anthropic.Model{
			Name: "claude-sonnet-4-5", BaseURL: cloudservers.Vertex(t, address, google).URL, Settings: thinking, HTTPClient: client,
			APIKey: token, LookupEnv: variables(nil), Platform: onVertex,
		}
	case onVertexGenerate:
		return &gemini.Model{
			Name: "gemini-3-flash", BaseURL: cloudservers.Vertex(t, address, google).URL, HTTPClient: client,
			APIKey: token, LookupEnv: variables(nil), Platform: onVertex,
		}
	case onAzureChat, onAzureResponses:
		out := &openai.Model{
			Name: azureAccount.Deployment, BaseURL: cloudservers.AzureOpenAI(t, address, azureAccount).URL, HTTPClient: client,
			APIKey: token, LookupEnv: variables(nil), Platform: &azure.Platform{},
		}
		if api == onAzureResponses {
			out.API = openai.Responses
		}
		return out
	case messages:
		return &anthropic.Model{Name: "claude-sonnet-4-5", BaseURL: address, Settings: thinking, HTTPClient: client}
	case generate:
		return &gemini.Model{Name: "gemini-3-flash", BaseURL: address, HTTPClient: client}
	case responses:
		return &openai.Model{Name: "gpt-5.2", BaseURL: address + "/v1", API: openai.Responses, HTTPClient: client}
	default:
		return &openai.Model{Name: "gpt-5.2", BaseURL: address + "/v1", HTTPClient: client}
	}
}

// variables looks up these variables, and no others.
func variables(of map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := of[name]
		return value, ok
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
