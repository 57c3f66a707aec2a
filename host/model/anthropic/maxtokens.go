package anthropic

import (
	"cmp"
	"fmt"

	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// DefaultMaxTokens is the default of the setting "max_tokens", which the API requires, for a model whose limit of output tokens is not
// known. For a known model that limit is the default, as in LangChain.
const DefaultMaxTokens = 4096

// limitOutput sets "max_tokens". The API requires it to be larger than the budget for thinking, which it includes.
func (m *Model) limitOutput(body object) error {
	budget := thinkingBudget(body["thinking"])
	most, given := body["max_tokens"]
	if !given {
		known := m.Info().MaxOutputTokens
		limit := cmp.Or(known, DefaultMaxTokens)
		if known == 0 && budget >= float64(limit) {
			limit = int(budget) + DefaultMaxTokens // room for the answer itself
		}
		body["max_tokens"], most = limit, limit
	}
	if limit, ok := number(most); ok && budget >= limit {
		return provider.Unsendable(Provider, fmt.Errorf("the setting thinking.budget_tokens is %.0f, and max_tokens is %.0f, which includes it: "+
			"lower budget_tokens, or raise max_tokens", budget, limit))
	}
	return nil
}

// thinkingBudget returns the tokens that the setting "thinking" grants; 0 if it grants none.
func thinkingBudget(setting any) float64 {
	thinking, _ := setting.(map[string]any)
	budget, _ := number(thinking["budget_tokens"])
	return budget
}

// number returns the value of a setting that is a number.
func number(value any) (float64, bool) {
	switch n := value.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, true
	default:
		return 0, false
	}
}
