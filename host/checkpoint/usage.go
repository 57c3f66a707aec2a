package checkpoint

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Usage are the tokens of a run's model calls. Its form is an array of the counts without the zeros at its end: there is
// one in every checkpoint, and many models count nothing.
type Usage abi.Usage

// counts are the fields in the order of the form. A new one is added behind the others.
func (u *Usage) counts() [6]*uint64 {
	return [...]*uint64{
		&u.InputTokens, &u.OutputTokens, &u.TotalTokens, &u.CacheReadTokens, &u.CacheCreationTokens, &u.ReasoningTokens,
	}
}

// MarshalMsg appends the usage's form.
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

// UnmarshalMsg reads what MarshalMsg has written and returns what follows it.
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
			return b, &abi.DocumentError{Document: "usage", Reason: "a token count is no positive integer"}
		}
	}
	return rest, nil
}

// Msgsize returns how long the form may become, in bytes.
func (u *Usage) Msgsize() int { return 1 + len(u.counts())*9 }
