package server

import (
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/dev"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// writeTime is how long a client may take to accept a piece of an answer.
const writeTime = time.Minute

// wrap puts what every request passes before the doors.
func (s *Server) wrap(authenticator auth.Authenticator) (http.Handler, error) {
	c := s.config.Serve
	hosts, err := access.Hosts(c.Hosts...)
	if err != nil {
		return nil, err
	}
	origins, err := access.Origins(c.CORS.Origins...)
	if err != nil {
		return nil, err
	}
	authenticator, err = access.Logins(authenticator, c.Limits.FailedLogins)
	if err != nil {
		return nil, err
	}
	rates, err := access.NewRates(access.RateConfig{PerSecond: c.Limits.RequestsPerSecond, Burst: c.Limits.Burst, Key: access.ByPrincipal})
	if err != nil {
		return nil, err
	}
	budget := access.NewBudget(int64(c.Limits.Bodies))
	s.door.Inbound = access.Inbound{Most: int64(c.Limits.Body), Within: c.Limits.BodyTimeout, Budget: budget, Rates: rates}
	mux := http.NewServeMux()
	s.mux = mux
	for _, r := range s.routes() {
		mux.HandleFunc("GET "+r.path, r.serve)
	}
	if s.dev != nil {
		mux.Handle(dev.Path, s.dev)
	}
	for _, m := range s.mounts {
		mux.Handle(m.path, m.door)
	}
	return access.Chain(mux, s.forms, access.RequestIDs(), access.Log(s.log), access.Recover(s.log), hosts, origins,
		access.Bodies(int64(c.Limits.Body), c.Limits.BodyTimeout), access.WriteDeadlines(writeTime),
		access.Authenticate(authenticator, s.open, s.mcp.Challenge), rates.Wrap, budget.Wrap), nil
}

// forms lets the errors of a request have the form of its door.
func (s *Server) forms(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m, _ := s.mountOf(r); m != nil && m.form != nil {
			w = detail.In(w, m.form)
		}
		next.ServeHTTP(w, r)
	})
}

// mountOf returns the door that answers a request, and the pattern by which it was found; nil if none does.
func (s *Server) mountOf(r *http.Request) (*mount, string) {
	_, pattern := s.mux.Handler(r)
	for i := range s.mounts {
		if s.mounts[i].path == pattern {
			return &s.mounts[i], pattern
		}
	}
	return nil, pattern
}

// route returns the pattern of a request without its method; "" if nothing answers it.
func (s *Server) route(r *http.Request) string {
	m, pattern := s.mountOf(r)
	if m != nil {
		pattern = m.door.Route(r)
	}
	if _, path, found := strings.Cut(pattern, " "); found {
		return path
	}
	return pattern
}

// open reports whether a request needs no credential.
func (s *Server) open(r *http.Request) bool {
	m, _ := s.mountOf(r)
	if m != nil {
		return m.door.IsOpen(r)
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return reads && openPaths()[r.URL.Path]
}

// openPaths are the paths of the routes that need no credential.
var openPaths = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, r := range (*Server)(nil).routes() {
		out[strings.TrimSuffix(r.path, "{$}")] = true
	}
	return out
})

// route is a path beside those of the doors, which needs no credential.
type route struct {
	path  string // as net/http has it
	serve http.HandlerFunc
	api   openapi.Operation
}

func (s *Server) routes() []route {
	return append(pageRoutes(s != nil && s.dev != nil), []route{
		{"/healthz", healthz, openapi.Operation{ID: "healthz", Summary: "Say that the process lives", Text: "text/plain"}},
		{"/readyz", s.ready, openapi.Operation{
			ID: "readyz", Summary: "Say whether the server takes requests", Text: "text/plain", Errors: []int{http.StatusServiceUnavailable},
		}},
		{"/openapi.json", s.describe, openapi.Operation{ID: "describe", Summary: "Describe the API: this document", Answer: reflect.TypeFor[map[string]any]()}},
	}...)
}

// Health answers /healthz and /readyz only, for an address apart from that of clients.
func (s *Server) Health() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthz)
	mux.HandleFunc("GET /readyz", s.ready)
	return mux
}

// healthz answers that the process lives.
func healthz(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }

// ready answers whether the server takes requests, for those who distribute them.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.healthy(r); err != nil {
		access.Note(r.Context(), err)
		detail.Write(w, &detail.Error{Status: http.StatusServiceUnavailable, Text: "the server is not ready", Cause: err, RetryAfter: time.Second})
		return
	}
	_, _ = w.Write([]byte("ok\n"))
}
