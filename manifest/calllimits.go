package manifest

import (
	"time"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// callLimitKeys are the keys of a model that limit its calls.
var callLimitKeys = []string{"timeout", "first_token_timeout", "idle_timeout", "max_retries"}

// decodeCallLimit decodes one of the callLimitKeys. 0 is no limit, and no retries.
func decodeCallLimit(key string, value strictyaml.Node, into *model.Limits) error {
	if key == "max_retries" {
		var n int
		if err := value.Decode(&n); err != nil {
			return err
		}
		if n < 0 || n > maxRetries {
			return value.Errorf("max_retries must be from 0 to %d", maxRetries)
		}
		into.MaxRetries = orNone(n)
		return nil
	}
	var limit time.Duration
	if err := value.Decode(&limit); err != nil {
		return err
	}
	if limit < 0 || limit > 0 && limit < time.Second {
		return value.Errorf("%s must be at least 1s, such as 5m; 0s is no limit", key)
	}
	switch key {
	case "timeout":
		into.Timeout = orNone(limit)
	case "first_token_timeout":
		into.FirstTokenTimeout = orNone(limit)
	default:
		into.IdleTimeout = orNone(limit)
	}
	return nil
}

// maxRetries is the most that max_retries may be.
const maxRetries = 20

// orNone returns the value that stands for none in [model.Limits] if a manifest says 0.
func orNone[T ~int | ~int64](value T) T {
	if value == 0 {
		return -1
	}
	return value
}
