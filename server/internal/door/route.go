package door

import (
	"net/http"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// Route is a pattern of net/http, what a request that matches it must be allowed, what answers it, and its description.
type Route struct {
	Pattern string
	Scope   auth.Scope // "": anything that a principal is allowed
	Serve   func(*Call) error
	API     API
}

func (r *Route) answer(c *Call) error {
	if r.Scope != "" {
		if err := c.Principal.Need(r.Scope); err != nil {
			return err
		}
	}
	return r.Serve(c)
}

// isOpen reports whether requests need no credential: reading alone may be open.
func (r *Route) isOpen() bool {
	method, _, _ := strings.Cut(r.Pattern, " ")
	return method == http.MethodGet && len(r.API) > 0 && !slices.ContainsFunc(r.API, func(o Operation) bool { return !o.Open })
}

// Patterns returns the patterns of routes.
func Patterns(routes []Route) []string {
	out := make([]string, len(routes))
	for i := range routes {
		out[i] = routes[i].Pattern
	}
	return out
}

// Describe adds routes to the description of a server's API. complete adds to an operation what follows from its method and path, and
// returns the path with the names of its parameters that clients know.
func Describe(d *openapi.Document, routes []Route, complete func(o *openapi.Operation, method, path string) string) error {
	for _, r := range routes {
		method, path, _ := strings.Cut(r.Pattern, " ")
		for _, one := range r.API {
			at := path
			if one.Path != "" {
				at = one.Path
			}
			o := one.Operation
			o.Errors = append(slices.Clone(o.Errors), openapi.Everywhere...)
			if !o.Open {
				o.Errors = append(o.Errors, http.StatusUnauthorized, http.StatusUnprocessableEntity, http.StatusServiceUnavailable)
				if method != http.MethodGet {
					o.Errors = append(o.Errors, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge)
				}
			}
			if err := d.Add(method, complete(&o, method, at), &o); err != nil {
				return err
			}
		}
	}
	return nil
}

// API describes what a route does: one operation, or several for a route that answers for several paths.
type API []Operation

// Operation is an operation of a route.
type Operation struct {
	openapi.Operation

	Path string // "": that of the route
}
