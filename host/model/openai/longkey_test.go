package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// TestAnswersThatAreNoMessages calls the APIs that do not chat with a key long enough to be hidden.
func TestAnswersThatAreNoMessages(t *testing.T) {
	t.Parallel()
	m := modelAt(t, saying(t, `{"results":[{"flagged":true,"categories":{"self-harm":true},"category_scores":{"self-harm":0.5}}]}`), "")
	judgement, err := m.Moderate(t.Context(), "omni-moderation-latest", "text")
	require.NoError(t, err)
	require.Equal(t, []string{"self_harm"}, judgement.Categories)

	chat := modelAt(t, saying(t, `{"answers":[{"name":"q","type":"predicate","probability":0.25}]}`), "")
	d := &openai.Decisions{Model: openai.Model{
		Name: chat.Name, BaseURL: chat.BaseURL, APIKey: chat.APIKey, HTTPClient: chat.HTTPClient, Limits: chat.Limits,
	}}
	answers, err := d.Decide(t.Context(), &model.DecisionRequest{
		State: wire.String("text"), Questions: map[string]model.Question{"q": {Type: model.QuestionNoul, Instructions: "Is it?"}},
	})
	require.NoError(t, err)
	answer, err := answers.Answer("q", model.QuestionNoul)
	require.NoError(t, err)
	require.InDelta(t, 0.25, answer.Noul, 0)
}
