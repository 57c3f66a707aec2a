package rule

import (
	"strings"
	"time"

	"github.com/agenthost/agenthost/runs"
)

// CreateAssistant returns the first version of an assistant.
func CreateAssistant(a *runs.Assistant, now time.Time) (*runs.Assistant, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	out := a.Copy()
	out.Version, out.Created, out.Updated = 1, runs.Moment(now), runs.Moment(now)
	return out, nil
}

// ChangeAssistant returns the next version of an assistant.
func ChangeAssistant(used *runs.Assistant, version int, now time.Time, change func(a *runs.Assistant) error) (*runs.Assistant, error) {
	next := used.Copy()
	if err := change(next); err != nil {
		return nil, err
	}
	next.Owner, next.ID, next.Created = used.Owner, used.ID, used.Created
	next.Version, next.Updated = version, now
	if err := next.Check(); err != nil {
		return nil, err
	}
	return next.Copy(), nil
}

// Fold returns a name in the form in which searches compare it, without regard to its case.
func Fold(name string) string { return strings.ToLower(name) }
