package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/server/a2a"
	"github.com/agenthost/agenthost/server/agui"
	"github.com/agenthost/agenthost/server/internal/openapi"
	"github.com/agenthost/agenthost/server/langgraph"
	"github.com/agenthost/agenthost/server/mcp"
	"github.com/agenthost/agenthost/server/openai"
)

// apiVersion is the version of the description of the API. It rises when a client has to change.
const apiVersion = "1"

const apiDescription = `The API of ` + "`agenthost serve`" + `: LangGraph's, for its SDKs and for every other client.
The document docs/server.md says what differs.

A server without ` + "`auth`" + ` in its configuration needs no key. Requests with a body send a JSON document, and members that are not listed are ignored.`

// OpenAPI returns the description of the API as a JSON document of OpenAPI 3.1. It is the same for all servers, and the
// caller may change it.
func OpenAPI() ([]byte, error) {
	text, err := describeOnce()
	return slices.Clone(text), err
}

var describeOnce = sync.OnceValues(func() ([]byte, error) {
	d := openapi.New(openapi.Info{Title: "agenthost", Description: apiDescription, Version: apiVersion})
	for _, r := range (*Server)(nil).routes() {
		r.api.Tag, r.api.Open, r.api.Errors = "server", true, append(r.api.Errors, openapi.Everywhere...)
		if err := d.Add(http.MethodGet, strings.TrimSuffix(r.path, "{$}"), &r.api); err != nil {
			return nil, err
		}
	}
	for _, describe := range []func(*openapi.Document) error{langgraph.Describe, agui.Describe, openai.Describe, mcp.Describe, a2a.Describe} {
		if err := describe(d); err != nil {
			return nil, err
		}
	}
	return d.JSON()
})

// describe answers with the description of the API.
func (s *Server) describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(s.description)))
	_, _ = w.Write(s.description)
}
