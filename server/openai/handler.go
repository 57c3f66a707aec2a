package openai

import (
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// Handler is the door.
type Handler struct{ *door.Door }

// New returns the door.
func New(config door.Config) *Handler {
	h := &Handler{}
	h.Door = door.New(config, h.routes(), fail, lost)
	return h
}

// Path is that with which the paths of the door begin.
const Path = "/v1/"

// Patterns returns the patterns of all routes, as net/http has them.
func Patterns() []string { return door.Patterns((&Handler{}).routes()) }

// Describe adds all routes to the description of a server's API.
func Describe(d *openapi.Document) error { return door.Describe(d, (&Handler{}).routes(), complete) }
