package protocol

import (
	"encoding/json"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// usage counts the tokens of a run, by models.
type usage []tokens

// tokens are those of one model.
type tokens struct {
	model string
	abi.Usage
}

// maxModels is how many models are counted each for itself.
const maxModels = 100

// add counts the tokens of a model call.
func (u *usage) add(e *host.Event) {
	for i := range e.Messages {
		spent := e.Messages[i].Usage
		if spent == nil {
			continue
		}
		at := slices.IndexFunc(*u, func(t tokens) bool { return t.model == e.Model })
		if at < 0 {
			if len(*u) == maxModels {
				return
			}
			at, *u = len(*u), append(*u, tokens{model: e.Model})
		}
		(*u)[at].Usage = (*u)[at].Add(*spent)
	}
}

// MarshalJSON returns the protocol's form. The counts of caches and reasoning are parts of the totals, as the host counts them.
func (t tokens) MarshalJSON() ([]byte, error) {
	out := map[string]any{"inputTokens": t.InputTokens, "outputTokens": t.OutputTokens, "totalTokens": t.InputTokens + t.OutputTokens}
	for name, n := range map[string]uint64{
		"reasoningTokens": t.ReasoningTokens, "cachedInputTokens": t.CacheReadTokens, "cacheWriteInputTokens": t.CacheCreationTokens,
	} {
		if n > 0 {
			out[name] = n
		}
	}
	if t.model != "" {
		out["model"] = t.model
	}
	return json.Marshal(out)
}
