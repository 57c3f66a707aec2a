package checkpoint

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Usage counts the tokens of a run's model calls. It is encoded as an array of the counts without trailing zeros, because
// every checkpoint has one and many models report no usage.
type Usage abi.Usage

// counts returns the fields in the order of the encoding. A new field goes at the end.
func (u *Usage) counts() [6]*uint64 {
	return [...]*uint64{
		&u.InputTokens, &u.OutputTokens, &u.TotalTokens, &u.CacheReadTokens, &u.CacheCreationTokens, &u.ReasoningTokens,
	}
}

// MarshalMsg appends the encoded usage.
func (u *Usage) MarshalMsg(b []byte) ([]byte, error) {
	counts := u.counts()
	n := len(counts)
	for n > 0 && *counts[n-1] == 0 {
		n--
	}
	b = wire.AppendArrayHeader(b, n)
	for _, count := range counts[:n] {
		b = wire.AppendUint(b, *count)
	}
	return b, nil
}

// UnmarshalMsg decodes what MarshalMsg wrote and returns the remaining bytes.
func (u *Usage) UnmarshalMsg(b []byte) ([]byte, error) {
	all, rest, err := wire.Cut(b)
	if err != nil {
		return b, err
	}
	*u = Usage{}
	counts := u.counts()
	items, ok := all.Items()
	if !ok || len(items) > len(counts) {
		return b, &abi.DocumentError{Document: "usage", Reason: "it is not an array of token counts"}
	}
	for i, item := range items {
		if *counts[i], ok = item.AsUint(); !ok {
			return b, &abi.DocumentError{Document: "usage", Reason: "a token count is not a positive integer"}
		}
	}
	return rest, nil
}

// Msgsize returns the maximum length of the encoding, in bytes.
func (u *Usage) Msgsize() int { return 1 + len(u.counts())*9 }
