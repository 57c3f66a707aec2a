package agui

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// Path is where the paths of the door begin.
const Path = "/agui/"

// Handler is the door. Requests must have a principal, see package auth.
type Handler struct{ *door.Door }

// New returns the door.
func New(config door.Config) *Handler {
	h := &Handler{}
	h.Door = door.New(config, h.routes(), fail, lost)
	return h
}

func (h *Handler) routes() []door.Route {
	return []door.Route{{
		Pattern: "POST " + Path + "{agent}", Scope: auth.ScopeRuns, Serve: h.serve,
		API: door.API{{Operation: openapi.Operation{
			ID: "runAgent", Summary: "Start a run of an agent, or go on with one, for a client of AG-UI 1.0", Tag: "agui",
			Body:   openapi.Body{Type: reflect.TypeFor[runAgentInput](), Required: []string{"threadId", "runId", "messages"}},
			Stream: "The events of AG-UI 1.0, each as JSON in the data of an event.",
			Errors: []int{http.StatusPaymentRequired, http.StatusNotFound, http.StatusConflict},
		}}},
	}}
}

// Patterns returns the patterns of all routes, as net/http has them.
func Patterns() []string { return door.Patterns((&Handler{}).routes()) }

// Describe adds all routes to the description of a server's API.
func Describe(d *openapi.Document) error {
	return door.Describe(d, (&Handler{}).routes(), func(o *openapi.Operation, _, path string) string {
		o.Parameters = append(o.Parameters, openapi.Parameter{
			In: "path", Name: "agent", Description: "The name of an agent, or the id of an assistant.", Schema: openapi.Schema{"type": "string"},
		})
		return strings.TrimSuffix(path, "/")
	})
}

func (h *Handler) serve(c *door.Call) error {
	return h.Stream(c, func() (door.Reply, error) { return h.run(c) })
}
