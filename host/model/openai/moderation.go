package openai

import (
	"context"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

var _ model.Moderator = (*Model)(nil)

// Moderate judges a text with a moderation model of the same account: see https://platform.openai.com/docs/api-reference/moderations.
// Categories have the names of OpenAI's libraries, such as "self_harm_intent" for "self-harm/intent".
func (m *Model) Moderate(ctx context.Context, moderation, text string) (*model.Moderation, error) {
	if err := m.connect(); err != nil {
		return nil, err
	}
	answer, err := m.endpoint.Ask(ctx, provider.Call{Path: "moderations", Body: object{"model": moderation, "input": text}})
	if _, err := m.endpoint.Hide(nil, err); err != nil {
		return nil, err
	}
	raw, err := wire.FromJSON(answer, wire.DefaultLimits)
	if err != nil {
		return nil, m.unreadable(answer, "cannot be read: "+err.Error())
	}
	results, ok := raw.Get("results").Items()
	if !ok || len(results) != 1 {
		return nil, m.unreadable(answer, "does not have one result")
	}
	out := &model.Moderation{}
	if out.Flagged, ok = results[0].Get("flagged").AsBool(); !ok {
		return nil, m.unreadable(answer, "does not say whether the text is flagged")
	}
	for name, value := range results[0].Get("categories").Pairs() {
		if flagged, _ := value.AsBool(); flagged {
			out.Categories = append(out.Categories, categoryName(string(name)))
		}
	}
	for name, value := range results[0].Get("category_scores").Pairs() {
		if score, ok := value.AsFloat(); ok {
			out.Scores.Set(categoryName(string(name)), wire.Float(score))
		}
	}
	return out, nil
}

var categoryName = strings.NewReplacer("/", "_", "-", "_").Replace
