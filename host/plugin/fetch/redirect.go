package fetch

import (
	"net/http"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// hop is one request of an exchange.
type hop struct {
	method  string
	target  target
	headers []abi.Header // as the guest wrote them: secrets are filled in for each hop
	body    []byte
}

// location returns where a response redirects to, or "" if it does not.
func location(response *http.Response) string {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return response.Header.Get("Location")
	default:
		return ""
	}
}

// redirected returns the hop that follows a redirect, not yet checked against the policy. It does what a browser would do:
// 301, 302 and 303 ask for another document, 307 and 308 for the same one elsewhere.
func (h *hop) redirected(status int, location string) (*hop, error) {
	to, err := parseTarget(location, h.target.url)
	if err != nil {
		return nil, err
	}
	next := &hop{method: h.method, target: to, headers: h.headers, body: h.body}
	repeat := status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
	if !repeat {
		next.body = nil
		if h.method != http.MethodGet && h.method != http.MethodHead {
			next.method = http.MethodGet
		}
	}
	elsewhere := to.origin != h.target.origin
	next.headers = slices.DeleteFunc(slices.Clone(h.headers), func(line abi.Header) bool {
		name := lower(line.Name)
		// A credential without a secret is only for the origin that the guest sent it to. One with a secret goes where the
		// secret may.
		credential := name == "authorization" || name == "cookie"
		return (elsewhere && credential && !hasSecret(line.Value)) || (!repeat && strings.HasPrefix(name, "content-"))
	})
	return next, nil
}
