package ratelimit

import (
	"strconv"
	"strings"
	"time"
)

// DefaultMaxWait is the longest wait of a call if [Limit].MaxWait is 0.
const DefaultMaxWait = 10 * time.Minute

// Limit says how much a model may be asked. The zero Limit limits nothing.
type Limit struct {
	RequestsPerMinute float64 // calls a minute; 0: no limit
	// TokensPerMinute limits the tokens of requests and answers together; 0: no limit. The tokens of a request are estimated before the call,
	// and those that the provider reports count after it.
	TokensPerMinute int
	MaxBucketSize   int           // how many calls may begin at once after a pause; 0: 1, as in LangChain
	MaxWait         time.Duration // the longest wait of one call; 0: [DefaultMaxWait], negative: no limit
}

func (l Limit) isZero() bool { return l.RequestsPerMinute <= 0 && l.TokensPerMinute <= 0 }

// String describes the limit, such as "60 requests and 30000 tokens a minute".
func (l Limit) String() string {
	var parts []string
	if l.RequestsPerMinute > 0 {
		parts = append(parts, strconv.FormatFloat(l.RequestsPerMinute, 'g', -1, 64)+" requests")
	}
	if l.TokensPerMinute > 0 {
		parts = append(parts, strconv.Itoa(l.TokensPerMinute)+" tokens")
	}
	return strings.Join(parts, " and ") + " a minute"
}

func (l Limit) maxWait() time.Duration {
	if l.MaxWait == 0 {
		return DefaultMaxWait
	}
	return l.MaxWait
}
