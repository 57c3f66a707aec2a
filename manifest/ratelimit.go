package manifest

import (
	"time"

	"github.com/agenthost/agenthost/host/model/ratelimit"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// rateLimitEntry is how often the model may be asked, by all agents of the process that use the same account and model.
type rateLimitEntry struct {
	RequestsPerMinute float64 `yaml:"requests_per_minute" strict:"min=0.001,max=1000000"` // requests that are sent in a minute
	// tokens of requests and answers in a minute, such as 30k
	TokensPerMinute tokenCount `yaml:"tokens_per_minute"`
	// how many requests may be sent at once after a pause; default 1
	MaxBucketSize int `yaml:"max_bucket_size" strict:"min=1,max=10000"`
	// how long a request may wait for its turn; then it fails. Default 10m
	MaxWait time.Duration `yaml:"max_wait" strict:"min=1s"`
}

// maxTokensPerMinute is the most that tokens_per_minute may be.
const maxTokensPerMinute = 1_000_000_000

// CheckStrict requires a limit.
func (e *rateLimitEntry) CheckStrict(n strictyaml.Node) error {
	tokens, given := n.Get("tokens_per_minute")
	switch {
	case given && (e.TokensPerMinute < 1 || e.TokensPerMinute > maxTokensPerMinute):
		return tokens.Errorf("tokens_per_minute must be from 1 to %d; leave it out for no limit", maxTokensPerMinute)
	case !given && e.RequestsPerMinute == 0:
		return n.Errorf("rate_limit needs requests_per_minute, tokens_per_minute or both, such as {requests_per_minute: 60}")
	case e.MaxBucketSize > 0 && e.RequestsPerMinute == 0:
		return n.Errorf("max_bucket_size needs requests_per_minute, whose requests it counts")
	default:
		return nil
	}
}

func (e *rateLimitEntry) limit() ratelimit.Limit {
	return ratelimit.Limit{
		RequestsPerMinute: e.RequestsPerMinute, TokensPerMinute: int(e.TokensPerMinute), MaxBucketSize: e.MaxBucketSize, MaxWait: e.MaxWait,
	}
}
