package anthropic

import (
	"encoding/json"
	"maps"

	"github.com/agenthost/agenthost/abi"
)

// usage is what an answer has cost, by the API's keys.
type usage map[string]json.RawMessage

// with returns the counts with newer ones. They count the whole answer, and tell only what has changed.
func (u usage) with(newer usage) usage {
	out := make(usage, len(u)+len(newer))
	maps.Copy(out, u)
	for key, value := range newer {
		if string(value) != "null" {
			out[key] = value
		}
	}
	return out
}

// counted are the counts as all providers have them: the API does not count cached tokens among those of the input.
func (u usage) counted() *abi.Usage {
	if u == nil {
		return nil
	}
	var details usage
	if json.Unmarshal(u["output_tokens_details"], &details) != nil {
		details = nil
	}
	out := &abi.Usage{
		CacheCreationTokens: u.count("cache_creation_input_tokens"),
		CacheReadTokens:     u.count("cache_read_input_tokens"),
		OutputTokens:        u.count("output_tokens"),
		ReasoningTokens:     details.count("thinking_tokens"),
	}
	out.InputTokens = u.count("input_tokens") + out.CacheCreationTokens + out.CacheReadTokens
	out.TotalTokens = out.InputTokens + out.OutputTokens
	return out
}

// maxCount is more than any answer can cost, so that sums of counts are right.
const maxCount = 1 << 50

// count is a count; 0 for what is none.
func (u usage) count(key string) uint64 {
	var n float64
	if json.Unmarshal(u[key], &n) != nil || n < 0 {
		return 0
	}
	return uint64(min(n, maxCount))
}
