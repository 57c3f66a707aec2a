package builtin

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Seconds is a duration in a configuration: a number of seconds, as in LangChain, or a Go duration such as "1.5s".
type Seconds float64

// maxSeconds is the longest time that a [time.Duration] can hold, in whole seconds: 292 years.
const maxSeconds = Seconds(math.MaxInt64 / int64(time.Second))

// Duration returns the time, rounded to nanoseconds. Times that are too long for a [time.Duration] become the longest one.
func (s Seconds) Duration() time.Duration {
	switch {
	case s >= maxSeconds:
		return time.Duration(math.MaxInt64)
	case s <= -maxSeconds:
		return time.Duration(math.MinInt64)
	case math.IsNaN(float64(s)):
		return 0
	default:
		return time.Duration(math.Round(float64(s) * float64(time.Second)))
	}
}

// String returns the time as a Go duration.
func (s Seconds) String() string { return s.Duration().String() }

// UnmarshalYAML decodes a number of seconds or a Go duration.
func (s *Seconds) UnmarshalYAML(decode func(into any) error) error {
	var form any
	if err := decode(&form); err != nil {
		return err
	}
	switch form := form.(type) {
	case int64:
		*s = Seconds(form)
	case float64:
		*s = Seconds(form)
	case string:
		d, err := time.ParseDuration(form)
		if err != nil {
			return fmt.Errorf(`%q is not a duration; use a number of seconds, or a duration such as "1.5s" or "2m"`, form)
		}
		*s = Seconds(d.Seconds())
	default:
		return errors.New(`a duration is a number of seconds, or a text such as "1.5s" or "2m"`)
	}
	return nil
}

// JSONSchema describes both forms.
func (Seconds) JSONSchema() map[string]any {
	return map[string]any{
		"oneOf": []any{
			map[string]any{"type": "number"},
			map[string]any{"type": "string", "pattern": `^[+-]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$|^[+-]?0$`},
		},
	}
}
