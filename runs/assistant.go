package runs

import (
	"strings"
	"time"
)

// Assistant is an agent with a configuration that a client chose for it. Each change makes a new version, and the versions stay.
type Assistant struct {
	Owner       string
	ID          string // a UUID in lower case, or what [CheckID] allows
	Agent       string
	Name        string
	Description string
	Config      Document // nil: none
	Context     Document // nil: none
	Metadata    Metadata
	Version     int       // from 1
	Created     time.Time // when the first version was made; the store sets it
	Updated     time.Time // when this version was made, or became the one that is used; the store sets it
}

// AssistantQuery selects assistants of an owner.
type AssistantQuery struct {
	Agent    string // "": any
	Name     string // "": any; otherwise a part of the name, in any case
	Metadata Metadata
	Page
}

// Selects reports whether the query selects an assistant.
func (q *AssistantQuery) Selects(a *Assistant) bool {
	return (q.Agent == "" || q.Agent == a.Agent) && a.Metadata.Contains(q.Metadata) &&
		strings.Contains(strings.ToLower(a.Name), strings.ToLower(q.Name))
}
