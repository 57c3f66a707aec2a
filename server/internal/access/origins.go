package access

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/headerfield"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/detail"
)

// exposed are the headers that a page of an allowed origin may read: where a run is, how many more rows there are, the
// session of a client, and how to log in.
const exposed = "Content-Location, Location, X-Pagination-Total, X-Pagination-Next, X-Request-ID, Retry-After, Mcp-Session-Id, WWW-Authenticate"

// Origins returns a wrapper that lets pages of other origins use the server: exactly these, such as https://chat.example.com, or * for all. With
// none, only pages of the server itself can.
//
// A request with an origin that is not allowed is refused with 403, because a browser sends some requests without asking first, and the
// harm is done although the page cannot read the answer. The exception are requests with a Bearer token or a key: a page can add these headers only after
// the browser has asked, and we refuse that, so such a request comes from a program. It is answered, without CORS headers, as LangGraph's
// server does. GET and HEAD are answered likewise: they change nothing, but that a page which knows the id of a run can cancel it by leaving. A WebSocket
// begins with a GET, but its page can read it and send commands, so its origin must be allowed.
func Origins(origins ...string) (Wrapper, error) {
	for _, origin := range origins {
		if err := checkOrigin(origin); err != nil {
			return nil, fmt.Errorf("cors: origins: %w", err)
		}
	}
	allowed := slices.Clone(origins)
	return func(next http.Handler) http.Handler {
		return originsHandler{allowed, next}
	}, nil
}

func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	switch {
	case origin == "*":
		return nil
	case origin == "null":
		return errors.New("null is the origin of every sandboxed page and local file; serve the page from an address instead")
	case err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != origin || origin != strings.ToLower(origin):
		return fmt.Errorf("%.100q is not an origin; write it as a browser does, such as https://chat.example.com or http://localhost:3000", origin)
	}
	return nil
}

type originsHandler struct {
	allowed []string
	next    http.Handler
}

func (o originsHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Add("Vary", "Origin")
	origins := r.Header.Values("Origin")
	preflight := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
	switch {
	case len(origins) == 0:
		o.next.ServeHTTP(w, r)
	case len(origins) > 1:
		detail.Write(w, detail.Errorf(http.StatusBadRequest, "the request has %d headers Origin", len(origins)))
	case o.allows(origins[0]) && preflight:
		o.preflight(h, r)
		w.WriteHeader(http.StatusOK)
	case preflight:
		http.Error(w, "Disallowed CORS origin", http.StatusBadRequest) // as LangGraph's server
	case o.allows(origins[0]):
		o.share(h, origins[0])
		h.Set("Access-Control-Expose-Headers", exposed)
		o.next.ServeHTTP(w, r)
	case isOwn(origins[0], r.Host) || isSafe(r.Method) && r.Header.Get("Upgrade") == "" || hasCredential(r):
		o.next.ServeHTTP(w, r)
	default:
		detail.Write(w, detail.Errorf(http.StatusForbidden,
			"pages of %.100q may not use this server; its operator can add the origin to cors.origins", origins[0]))
	}
}

func (o originsHandler) allows(origin string) bool {
	return slices.Contains(o.allowed, origin) || slices.Contains(o.allowed, "*")
}

// share names the origin. With *, no cookies and logins of proxies come along.
func (o originsHandler) share(h http.Header, origin string) {
	if slices.Contains(o.allowed, origin) {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
		return
	}
	h.Set("Access-Control-Allow-Origin", "*")
}

// preflight says what a page of an allowed origin may send: everything.
func (o originsHandler) preflight(h http.Header, r *http.Request) {
	h.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers, Access-Control-Request-Private-Network")
	o.share(h, r.Header.Get("Origin"))
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Max-Age", "600")
	if asked := r.Header.Get("Access-Control-Request-Headers"); isHeaderList(asked) {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
}

func isHeaderList(list string) bool {
	for name := range strings.SplitSeq(list, ",") {
		if !headerfield.IsName(strings.TrimSpace(name)) {
			return false
		}
	}
	return len(list) <= 1000
}

// isOwn reports whether an origin is that of the server itself. A proxy may have ended TLS, so the scheme does not count.
func isOwn(origin, host string) bool {
	_, own, found := strings.Cut(origin, "://")
	return found && strings.EqualFold(own, host)
}

// IsOwnPage reports whether a request may come from a page of the server itself, or from a program. It is stricter than [Origins], which also lets
// pages of other origins read what they cannot change.
func IsOwnPage(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if !isOwn(origin, r.Host) {
			return false
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

func isSafe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// hasCredential reports whether a request has a header with a credential that a browser never adds by itself.
func hasCredential(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && token != "" || r.Header.Get(auth.KeyHeader) != ""
}
