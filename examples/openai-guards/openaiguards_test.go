// Package openaiguards_test runs the example with a server in the place of OpenAI's.
package openaiguards_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

type object = map[string]any

// openai is a server that speaks OpenAI's API, as far as the example uses it.
type openai struct {
	mu    sync.Mutex
	asked []response // what was asked of chat models
	mails int
}

type response struct {
	Model string          `json:"model"`
	Input json.RawMessage `json:"input"`
	Tools []struct {
		Type         string `json:"type"`
		Name         string `json:"name"`
		DeferLoading bool   `json:"defer_loading"`
	} `json:"tools"`
}

func (s *openai) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/moderations", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Input string `json:"input"`
		}
		_ = json.NewDecoder(r.Body).Decode(&in)
		flagged := strings.Contains(in.Input, "poison")
		answer(w, object{"results": []any{object{"flagged": flagged, "categories": object{"illicit": flagged}, "category_scores": object{"illicit": 0.9}}}})
	})
	mux.HandleFunc("POST /v1/decisions", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Input     json.RawMessage `json:"input"`
			Questions []struct {
				Type string `json:"type"`
				Name string `json:"name"`
			} `json:"questions"`
		}
		_ = json.NewDecoder(r.Body).Decode(&in)
		answers := []any{}
		for _, q := range in.Questions {
			if q.Type == "predicate" {
				risk := 0.02
				if strings.Contains(string(in.Input), "eve@example.com") {
					risk = 0.95
				}
				answers = append(answers, object{"name": q.Name, "type": "predicate", "probability": risk})
				continue
			}
			fast := 0.1
			if strings.Contains(string(in.Input), "hello") {
				fast = 0.9
			}
			choice := map[bool]string{true: "fast", false: "strong"}[fast > 0.5]
			answers = append(answers, object{"name": q.Name, "type": "choice", "choice": choice, "confidence": 0.9, "probabilities": []any{
				object{"value": "fast", "probability": fast}, object{"value": "strong", "probability": 1 - fast},
			}})
		}
		answer(w, object{"model": "gpt-6-luna", "answers": answers})
	})
	mux.HandleFunc("POST /v1/responses", s.respond)
	mux.HandleFunc("POST /mail", func(http.ResponseWriter, *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.mails++
	})
	return mux
}

func (s *openai) respond(w http.ResponseWriter, r *http.Request) {
	var in response
	_ = json.NewDecoder(r.Body).Decode(&in)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, in)
	text := func(kind, key, says string) object {
		return object{"type": "message", "role": "assistant", "content": []any{object{"type": kind, key: says, "annotations": []any{}}}}
	}
	item := text("output_text", "text", in.Model+" answers.")
	said := string(in.Input)
	switch {
	case in.Model != "gpt-5.2":
	case strings.Contains(said, "decline"):
		item = text("refusal", "refusal", "I would rather not.")
	case strings.Contains(said, "mail") && !strings.Contains(said, "function_call_output"):
		to := map[bool]string{true: "eve@example.com", false: "ada@example.com"}[strings.Contains(said, "eve@")]
		args, _ := json.Marshal(object{"to": to, "text": "hi"}) //nolint:errchkjson // they are texts
		item = object{"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "send_mail", "arguments": string(args)}
	}
	answer(w, object{"id": "resp_1", "model": in.Model, "status": "completed", "output": []any{item}})
}

func answer(w http.ResponseWriter, document object) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(document) //nolint:errchkjson // the client would notice
}

// run runs the agent with a prompt.
func run(t *testing.T, prompt string) (*host.Result, *openai) {
	t.Helper()
	server := &openai{}
	api := httptest.NewServer(server.handler())
	t.Cleanup(api.Close)
	environment := map[string]string{"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": api.URL + "/v1", "ARCHIVE_URL": api.URL}
	m, err := manifest.Load("agenthost.yaml", manifest.Options{
		LookupEnv: func(name string) (string, bool) { value, ok := environment[name]; return value, ok },
	})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human(prompt)}})
	require.NoError(t, err)
	return result, server
}

func TestAFlaggedPromptReachesNoModel(t *testing.T) {
	t.Parallel()
	result, server := run(t, "how do I poison a well?")
	require.Contains(t, result.Text(), "illicit")
	require.Empty(t, server.asked)
}

func TestTheRouterChooses(t *testing.T) {
	t.Parallel()
	result, _ := run(t, "hello")
	require.Equal(t, "gpt-5-nano answers.", result.Text())
	result, server := run(t, "what does the archive say about plugins?")
	require.Equal(t, "gpt-5.2 answers.", result.Text())
	tools := server.asked[0].Tools
	types := map[string]bool{} // whether the model gets the schema only when it looks for it
	for _, tool := range tools {
		types[tool.Type+" "+tool.Name] = tool.DeferLoading
	}
	require.Equal(t, map[string]bool{"tool_search ": false, "function search_archive": true, "function send_mail": false}, types)
}

func TestARiskyMailIsNotSent(t *testing.T) {
	t.Parallel()
	result, server := run(t, "mail the summary to ada@example.com")
	require.Equal(t, "gpt-5.2 answers.", result.Text())
	require.Equal(t, 1, server.mails)
	result, server = run(t, "mail the summary to eve@example.com")
	require.Zero(t, server.mails)
	require.Contains(t, result.Messages.At(2).Content.Text(), "blocked")
}

func TestAnotherModelAnswersWhereOneDeclines(t *testing.T) {
	t.Parallel()
	result, _ := run(t, "please decline this")
	require.Equal(t, "gpt-5-mini answers.", result.Text())
}
