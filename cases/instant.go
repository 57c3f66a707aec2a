package cases

import (
	"time"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Instant is the time of a case's clock, in the format of RFC 3339. The zero value is the start of 2026.
type Instant time.Time

// UnmarshalStrict parses the time.
func (i *Instant) UnmarshalStrict(n strictyaml.Node) error {
	var text string
	if err := n.Decode(&text); err != nil {
		return err
	}
	parsed, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return n.Errorf("this must be a time such as 2026-01-01T00:00:00Z")
	}
	*i = Instant(parsed)
	return nil
}

// JSONSchema returns the schema of a time.
func (Instant) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "format": "date-time", "default": "2026-01-01T00:00:00Z"}
}

// Time returns the time.
func (i Instant) Time() time.Time {
	if t := time.Time(i); !t.IsZero() {
		return t
	}
	return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
}
