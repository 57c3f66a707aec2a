package server

import (
	"net/http"
	"strings"
)

// unslashed answers for a path with a slash at its end as for the path without it, where a door knows only the latter. People and programs add
// one to addresses, and not every client sends a body or a key again after a redirect.
func (s *Server) unslashed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if bare := withoutSlash(r); bare != nil && !s.takes(r) && s.takes(bare) {
			r = bare
		}
		next.ServeHTTP(w, r)
	})
}

// takes reports whether something answers a request: a route of a door, or a page of the server itself.
func (s *Server) takes(r *http.Request) bool {
	m, _ := s.mountOf(r)
	return m == nil || m.door.Route(r) != ""
}

// withoutSlash returns the request for the path without the slash at its end; nil if there is none. A slash that belongs to a name is escaped.
func withoutSlash(r *http.Request) *http.Request {
	if !strings.HasSuffix(r.URL.EscapedPath(), "/") || r.URL.Path == "/" {
		return nil
	}
	out := new(http.Request)
	*out = *r
	address := *r.URL
	address.Path, address.RawPath = strings.TrimSuffix(address.Path, "/"), strings.TrimSuffix(address.RawPath, "/")
	out.URL = &address
	return out
}
