package door

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/access"
)

// Config is what a door has of its server.
type Config struct {
	Service *runs.Service
	Streams *access.Slots // open streams; nil: any number
	Logger  *slog.Logger  // nil: nothing is logged
	Version string        // of agenthost
	// Heartbeat is the interval in which a stream shows that it lives; 0: 5 s.
	Heartbeat time.Duration
	// Closing ends when the server stops: streams then close, and clients come back to another server. nil: it never does.
	Closing context.Context //nolint:containedctx // it is that of the server
}

// Door answers the requests of a protocol. They must have a principal, see package auth, unless a route is open.
type Door struct {
	Config

	routes []Route
	mux    *http.ServeMux
}

// New returns a door. fail answers a call that failed, in the words of the protocol; lost answers one that no route takes, with the methods
// that its path allows, if there are any.
func New(config Config, routes []Route, fail func(*Call, error), lost func(c *Call, allowed []string)) *Door {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Streams == nil {
		config.Streams = access.NewSlots("streams", 0, 0)
	}
	if config.Closing == nil {
		config.Closing = context.Background()
	}
	d := &Door{Config: config, routes: routes, mux: http.NewServeMux()}
	for i := range routes {
		d.mux.HandleFunc(routes[i].Pattern, func(w http.ResponseWriter, r *http.Request) {
			c := callOf(w, r)
			if err := routes[i].answer(c); err != nil {
				fail(c, err)
			}
		})
	}
	d.mux.HandleFunc(noRoute, func(w http.ResponseWriter, r *http.Request) { lost(callOf(w, r), d.allowed(r)) })
	return d
}

// noRoute is the pattern of requests that no route takes.
const noRoute = "/"

// ServeHTTP answers a request.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// Route returns the pattern of a request, as net/http has it; "" if no route takes it.
func (d *Door) Route(r *http.Request) string {
	if _, pattern := d.mux.Handler(r); pattern != noRoute {
		return pattern
	}
	return ""
}

// IsOpen reports whether a request needs no principal.
func (d *Door) IsOpen(r *http.Request) bool {
	pattern := d.Route(r)
	for i := range d.routes {
		if d.routes[i].Pattern == pattern {
			return d.routes[i].isOpen()
		}
	}
	return false
}

// allowed returns the methods that the path of a request allows, and sets the header that says so.
func (d *Door) allowed(r *http.Request) (methods []string) {
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPatch, http.MethodPost, http.MethodPut} {
		other := r.Clone(r.Context())
		other.Method = method
		if d.Route(other) != "" {
			methods = append(methods, method)
		}
	}
	return methods
}

// Allow is the text of the header Allow.
func Allow(methods []string) string { return strings.Join(methods, ", ") }
