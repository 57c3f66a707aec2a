package eventdoc

import "github.com/agenthost/agenthost/host"

// Version is the version of the form of events. Within a version, types of events and keys are only ever added.
const Version = 1

// Line is a line of the output. Only the first one has a version.
type Line struct {
	Version int `json:"version,omitempty"`
	host.Event
}
