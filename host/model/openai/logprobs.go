package openai

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/agenthost/agenthost/host/model"
)

// fewestTokens is the smallest limit of output tokens that the Responses API takes.
const fewestTokens = 16

// maxCandidates is how many candidates for a token are read at most.
const maxCandidates = 100

// askForToken changes a request of Chat Completions so that it asks for one token with its most likely candidates.
func (m *Model) askForToken(body object, candidates int) {
	limit := maxTokens
	if _, ok := body[maxCompletionTokens]; ok || m.official() || m.preset().MaxTokens == maxCompletionTokens {
		limit = maxCompletionTokens
	}
	delete(body, maxTokens)
	body[limit], body["logprobs"], body["top_logprobs"] = 1, true, candidates
}

// askForTokens changes a request of the Responses API in the same way.
func askForTokens(body object, candidates int) {
	included, _ := body["include"].([]any)
	body["include"] = append(slices.Clip(included), "message.output_text.logprobs")
	body["max_output_tokens"], body["top_logprobs"] = fewestTokens, candidates
}

// tokenLogprobs is a token of an answer with the candidates for it.
type tokenLogprobs struct {
	Top list `json:"top_logprobs"`
}

// firstToken returns the candidates for the first token of a list; nil if there are none. What cannot be read is left out, since an
// answer is of use without it.
func firstToken(tokens json.RawMessage) []model.Logprob {
	var all list
	if len(tokens) == 0 || json.Unmarshal(tokens, &all) != nil || len(all) == 0 {
		return nil
	}
	var first tokenLogprobs
	if json.Unmarshal(all[0], &first) != nil {
		return nil
	}
	var out []model.Logprob
	for _, entry := range first.Top {
		var candidate struct {
			Token   *string  `json:"token"`
			Logprob *float64 `json:"logprob"`
		}
		if len(out) == maxCandidates {
			break
		}
		if json.Unmarshal(entry, &candidate) == nil && candidate.Token != nil && candidate.Logprob != nil && !math.IsInf(*candidate.Logprob, 0) {
			out = append(out, model.Logprob{Token: *candidate.Token, Logprob: *candidate.Logprob})
		}
	}
	return out
}
