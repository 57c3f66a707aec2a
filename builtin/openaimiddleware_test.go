package builtin_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// answer is an answer of a server.
type answer struct {
	status int
	body   any
}

// openAI is a server that gives these answers, and the last one again and again. It also returns the bodies of the requests.
func openAI(answers ...answer) (server *httptest.Server, requests *[]string) {
	requests = &[]string{}
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*requests = append(*requests, r.URL.Path+" "+strings.TrimSpace(string(body)))
		at := min(len(*requests), len(answers)) - 1
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answers[at].status)
		_ = json.NewEncoder(w).Encode(answers[at].body)
	}))
	return server, requests
}

type object = map[string]any

func moderation(flagged bool) object {
	return object{"results": []any{object{
		"flagged": flagged, "categories": object{"self-harm/intent": flagged, "violence": false},
		"category_scores": object{"self-harm/intent": 0.5, "violence": 0.125},
	}}}
}

func TestOpenAIModerationAsksTheAPI(t *testing.T) {
	t.Parallel()
	server, requests := openAI(answer{200, moderation(true)})
	defer server.Close()
	agent, err := host.New(host.Config{
		Model: &openai.Model{Name: "gpt-5-nano", BaseURL: server.URL, APIKey: "key"},
		Middleware: []host.Middleware{builtin.OpenAIModeration{
			ExitBehavior: "error", ViolationMessage: "{categories} {category_scores} {original_content}",
		}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hurt")}})
	require.ErrorContains(t, err, `self harm intent {"self_harm_intent": 0.5, "violence": 0.125} hurt`)
	require.Equal(t, []string{`/moderations {"input":"hurt","model":"omni-moderation-latest"}`}, *requests)
}

// Without a judgement nothing is sent to the model.
func TestOpenAIModerationFailsClosed(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]any{
		"no results": object{"results": []any{}}, "no JSON object": "well", "no flag": object{"results": []any{object{"categories": object{}}}},
	} {
		server, _ := openAI(answer{200, said})
		agent, err := host.New(host.Config{
			Model: scripted.NewTurns(), Models: map[string]model.Model{"m": &openai.Model{Name: "x", BaseURL: server.URL}},
			Middleware: []host.Middleware{builtin.OpenAIModeration{Client: "m"}},
		})
		require.NoError(t, err)
		_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
		require.ErrorContains(t, err, "openai: ", name)
		require.NotErrorIs(t, err, scripted.ErrExhausted, name)
		require.NoError(t, agent.Close())
		server.Close()
	}
}

func TestOpenAIModerationConfigurationErrors(t *testing.T) {
	t.Parallel()
	for says, config := range map[string]builtin.OpenAIModeration{
		`exit_behavior is "stop"`:                     {ExitBehavior: "stop"},
		"it would judge nothing":                      {CheckInput: new(false), CheckOutput: new(false)},
		`client: there is no model "x"`:               {Client: "x"},
		`client: the model "scripted" has no moderat`: {},
	} {
		_, err := host.New(host.Config{Model: scripted.NewTurns(), Middleware: []host.Middleware{config}})
		require.ErrorContains(t, err, says)
	}
}

// A chat with a decision model is an error that says what it is for.
func TestDecisionModelsDoNotChat(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{Model: &openai.Decisions{Model: openai.Model{Name: "gpt-6-luna", APIKey: "key"}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorContains(t, err, "does not chat; use it as the classifier of a middleware")
}

// A state is sent as JSON with its images in their places, and criteria of a yes-or-no question as a part of it.
func TestDecisionsState(t *testing.T) {
	t.Parallel()
	server, requests := openAI(answer{200, object{"model": "m", "answers": []any{object{"name": "q", "type": "predicate", "probability": 0.25}}}})
	defer server.Close()
	judge := &openai.Decisions{Model: openai.Model{Name: "m", BaseURL: server.URL, APIKey: "key"}}
	state, err := host.Encode(object{"messages": []any{object{"role": "ai", "content": []any{
		object{"type": "text", "text": "a"}, object{"type": "image", "base64": "aGk=", "mime_type": "image/png"}, object{"type": "text", "text": "b"},
	}}}})
	require.NoError(t, err)
	question := model.Question{Type: model.QuestionNoul, Instructions: "Risky?"}
	criterion, err := host.Encode("it deletes")
	require.NoError(t, err)
	question.Criteria.Set("true", criterion)
	answers, err := judge.Decide(t.Context(), &model.DecisionRequest{State: state, Questions: map[string]model.Question{"q": question}})
	require.NoError(t, err)
	risk, err := answers.Answer("q", model.QuestionNoul)
	require.NoError(t, err)
	require.InDelta(t, 0.25, risk.Noul, 0)
	require.Equal(t, `/decisions {"input":[{"content":[`+
		`{"text":"{\"messages\":[{\"content\":[{\"text\":\"a\",\"type\":\"text\"},","type":"input_text"},`+
		`{"image_url":"data:image/png;base64,aGk=","type":"input_image"},`+
		`{"text":",{\"text\":\"b\",\"type\":\"text\"}],\"role\":\"ai\"}]}","type":"input_text"}],"role":"user"}],"model":"m",`+
		`"questions":[{"instructions":"Risky?\n\nAnswer yes if: it deletes","name":"q","type":"predicate"}]}`, (*requests)[0])
}
