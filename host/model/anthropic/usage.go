package anthropic

import (
	"encoding/json"
	"maps"

	"github.com/agenthost/agenthost/abi"
)

// usage is the token usage of an answer, by the API's keys.
type usage map[string]json.RawMessage

// with returns the counts updated with newer ones. Newer counts cover the whole answer, but list only what has changed.
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

// counted converts the counts to the common form: the API does not count cached tokens as input.
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

// maxCount exceeds the cost of any answer, and is small enough that sums of counts do not overflow.
const maxCount = 1 << 50

// count returns a count; 0 for anything that is not one.
func (u usage) count(key string) uint64 {
	var n float64
	if json.Unmarshal(u[key], &n) != nil || n < 0 {
		return 0
	}
	return uint64(min(n, maxCount))
}
