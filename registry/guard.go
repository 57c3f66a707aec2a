package registry

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/agenthost/agenthost/registry/reference"
)

// guard is a transport for requests about one registry or URL. It refuses requests that would leave this machine without encryption,
// wherever a registry's answer points to.
type guard struct {
	base  http.RoundTripper
	home  string // host name of the registry, without the port
	plain bool   // the registry may be reached without encryption
}

// newGuard makes the guard for a host, with or without a port. A host on this machine needs no encryption.
func newGuard(base http.RoundTripper, host string, plain bool) *guard {
	home := (&url.URL{Host: host}).Hostname()
	return &guard{base, home, plain || reference.IsLoopback(home)}
}

// RoundTrip performs a request, unless it must not be sent.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.check(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as the interface demands
		}
		return nil, err
	}
	return g.base.RoundTrip(req)
}

func (g *guard) check(u *url.URL) error {
	to := u.Hostname()
	switch {
	case reference.IsLoopback(to) && !reference.IsLoopback(g.home):
		return &Error{Kind: ErrInsecure, Err: fmt.Errorf("%s points to %s, which is on this machine", g.home, u.Host)}
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		return &Error{Kind: ErrInsecure, Err: fmt.Errorf("%s points to an address with the scheme %q", g.home, cleaned(u.Scheme))}
	case !g.plain:
		return &Error{Kind: ErrInsecure, Err: fmt.Errorf("%s is not reached by HTTPS", u.Host)}
	case !strings.EqualFold(to, g.home) && !reference.IsLoopback(to):
		return &Error{Kind: ErrInsecure, Err: fmt.Errorf("%s points to %s without encryption", g.home, u.Host)}
	default:
		return nil
	}
}

// maxRedirects is how many redirects a request follows.
const maxRedirects = 5

// checkRedirect follows redirects of requests without a body, which registries use to hand out layers from other servers. The library
// removes credentials from requests to other servers.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errors.New("it redirects too often")
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		return fmt.Errorf("it redirects a %s, which may carry secrets", req.Method)
	}
	if req.URL.Host != via[0].URL.Host {
		req.Header.Del("Authorization")
	}
	return nil
}
