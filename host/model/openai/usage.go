package openai

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
)

// maxCount exceeds the cost of any answer, and is small enough that sums of counts do not overflow.
const maxCount = 1 << 50

// count is a number of tokens; anything else counts as 0.
type count uint64

// UnmarshalJSON reads the number.
func (c *count) UnmarshalJSON(text []byte) error {
	var n float64
	*c = 0
	if json.Unmarshal(text, &n) == nil && n > 0 {
		*c = count(min(n, maxCount))
	}
	return nil
}

// usage is the token usage of an answer, with the keys of both APIs.
type usage struct {
	Prompt            count        `json:"prompt_tokens"`
	PromptDetails     tokenDetails `json:"prompt_tokens_details"`
	CacheHit          count        `json:"prompt_cache_hit_tokens"` // from DeepSeek
	Completion        count        `json:"completion_tokens"`
	CompletionDetails tokenDetails `json:"completion_tokens_details"`
	Input             count        `json:"input_tokens"`
	InputDetails      tokenDetails `json:"input_tokens_details"`
	Output            count        `json:"output_tokens"`
	OutputDetails     tokenDetails `json:"output_tokens_details"`
	Total             count        `json:"total_tokens"`
}

type tokenDetails struct {
	Cached     count `json:"cached_tokens"`
	CacheWrite count `json:"cache_write_tokens"`
	Reasoning  count `json:"reasoning_tokens"`
}

// tokens returns the usage for a message; nil if the server does not report it. Some servers (xAI, Gemini) count reasoning
// only in the total.
func tokens(text json.RawMessage) *abi.Usage {
	if !isSet(text) {
		return nil
	}
	var u usage
	_ = json.Unmarshal(text, &u) // values of other types count as 0
	out := &abi.Usage{
		CacheCreationTokens: uint64(max(u.PromptDetails.CacheWrite, u.InputDetails.CacheWrite)),
		CacheReadTokens:     uint64(max(u.PromptDetails.Cached, u.InputDetails.Cached, u.CacheHit)),
		InputTokens:         uint64(max(u.Prompt, u.Input)),
		OutputTokens:        uint64(max(u.Completion, u.Output)),
		ReasoningTokens:     uint64(max(u.CompletionDetails.Reasoning, u.OutputDetails.Reasoning)),
	}
	if total := uint64(u.Total); total > out.InputTokens+out.OutputTokens && out.InputTokens > 0 {
		out.OutputTokens = total - out.InputTokens
	}
	out.TotalTokens = out.InputTokens + out.OutputTokens
	return out
}
