package cassette_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/cassette"
	"github.com/agenthost/agenthost/host/model/openai"
)

// isRisky returns a question about a conversation, whose message has an id.
func isRisky(id, text string) *model.DecisionRequest {
	m := abi.Human(text)
	m.ID = id
	document, err := m.MarshalMsg(nil)
	if err != nil {
		panic(err)
	}
	state, err := wire.Of(map[string]any{"messages": []any{wire.Raw(document)}, "id": "call"})
	if err != nil {
		panic(err)
	}
	return &model.DecisionRequest{State: state, Questions: map[string]model.Question{
		"risky": {Type: model.QuestionNoul, Instructions: "Is it risky?"},
		"route": {Type: model.QuestionChoice, Instructions: "Where to?", Criteria: wire.Map{{Key: "a", Value: wire.String("A")}}},
	}}
}

// TestDecisionsAreRecorded asks a server with the Decisions API, whose client is a moderator too.
func TestDecisionsAreRecorded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/moderations":
			_, _ = io.WriteString(w, `{"results": [{"flagged": true, "categories": {"illicit": true}, "category_scores": {"illicit": 0.9}}]}`)
		case strings.Contains(string(body), "fail"):
			http.Error(w, `{"error": {"message": "no such state"}}`, http.StatusBadRequest)
		default:
			_, _ = io.WriteString(w, `{"model": "luna", "usage": {"input_tokens": 7, "output_tokens": 1, "total_tokens": 8}, "answers": [
				{"name": "risky", "type": "predicate", "probability": 0.25},
				{"name": "route", "type": "choice", "choice": "a", "confidence": 0.5, "probabilities": [{"value": "a", "probability": 0.75}]}]}`)
		}
	}))
	t.Cleanup(server.Close)
	client := &openai.Decisions{Model: openai.Model{Name: "luna", BaseURL: server.URL, APIKey: "sk-very-secret"}}
	r := cassette.NewRecorder("sk-very-secret")
	decide := func(m model.Model, req *model.DecisionRequest) (*model.Decisions, error) {
		decider, ok := model.DeciderOf(m)
		require.True(t, ok)
		return decider.Decide(t.Context(), req)
	}
	moderate := func(m model.Model) (*model.Moderation, error) {
		moderator, ok := model.ModeratorOf(m)
		require.True(t, ok)
		return moderator.Moderate(t.Context(), "omni", "bad")
	}
	m := r.Model("models.judge", client)
	first, err := decide(m, isRisky("1", "delete it"))
	require.NoError(t, err)
	require.InDelta(t, 0.25, first.Answers["risky"].Noul, 0)
	require.Equal(t, uint64(8), first.Usage.TotalTokens)
	_, failed := decide(m, isRisky("2", "fail"))
	require.ErrorContains(t, failed, "no such state")
	judged, err := moderate(m)
	require.NoError(t, err)
	server.Close()

	read, text := again(t, r)
	require.NotContains(t, text, "very-secret")
	require.Equal(t, 3, read.Len())
	player := cassette.NewPlayer(read)
	played, err := player.Model("models.judge")
	require.NoError(t, err)
	_, err = decide(played, isRisky("7", "fail"))
	require.EqualError(t, err, failed.Error())
	second, err := decide(played, isRisky("8", "delete it"))
	require.NoError(t, err, "ids of messages are ignored")
	require.Equal(t, first, second)
	again, err := moderate(played)
	require.NoError(t, err)
	require.Equal(t, judged, again)

	_, err = decide(played, isRisky("9", "delete it"))
	require.ErrorContains(t, err, "call 4 of models.judge is not in the cassette, which has no more exchanges")
	player = cassette.NewPlayer(read)
	played, err = player.Model("models.judge")
	require.NoError(t, err)
	_, err = decide(played, isRisky("9", "delete all"))
	require.ErrorContains(t, err, `call 1 of models.judge is not in the cassette; the nearest recorded request, exchange 1, differs in `+
		`state.messages[0].content: "delete it" → "delete all"`)
	require.Len(t, player.Mismatches(), 1)
}
