package mcp

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// adviceOn describes a response by which a server refuses a message, and says what the operator can do. It returns nil for other
// responses. A missing path is only looked for while connecting: later, a server may answer single requests with 404.
func (c *carrier) adviceOn(response *http.Response) *string {
	var problem string
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		problem = c.credentialAdvice(response)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		if c.usable.Load() {
			return nil
		}
		problem = "the path of the url may be wrong (many servers use /mcp), or the server speaks the older HTTP+SSE transport " +
			"(often at /sse); correct the url, or write transport: sse"
		if c.sse {
			problem = "the path of the url may be wrong (many servers use /sse), or the server speaks streamable HTTP (often at /mcp); " +
				"correct the url, or remove transport: sse"
		}
	default:
		return nil
	}
	text := fmt.Sprintf("the server answers %d %s: %s", response.StatusCode, http.StatusText(response.StatusCode), problem)
	return &text
}

// credentialAdvice says how to send credentials, or that those which were sent are refused.
func (c *carrier) credentialAdvice(response *http.Response) string {
	const example = `headers: {Authorization: "Bearer ${NAME}"} with the name of an environment variable`
	login := fmt.Sprintf("'agenthost login %s'", c.name)
	sent := response.Request != nil && response.Request.Header.Get("Authorization") != ""
	switch oauth := wantsOAuth(response.Header); {
	case c.auth != nil && sent && insufficientScope(response.Header):
		return "the login allows too little; add the scopes that the server needs to oauth.scopes, and run " + login
	case c.auth != nil && sent:
		return "it does not accept the login; run " + login
	case len(c.headers) > 0:
		advice := fmt.Sprintf("it does not accept the credentials in headers (%s); check the values, which may have expired or allow too little",
			strings.Join(slices.Sorted(maps.Keys(c.headers)), ", "))
		if oauth {
			advice += "; the server also offers a login by OAuth: remove Authorization from headers, and run " + login
		}
		return advice
	case oauth:
		return "it wants a login by OAuth; run " + login + ", or send a token that you created yourself by " + example
	default:
		return "it wants credentials; send them by " + example + ", or try " + login
	}
}

// insufficientScope reports whether a response asks for more scopes: RFC 6750, section 3.1.
func insufficientScope(header http.Header) bool {
	return slices.ContainsFunc(header.Values("WWW-Authenticate"), func(challenge string) bool {
		return strings.Contains(challenge, "insufficient_scope")
	})
}

// wantsOAuth reports whether a response names the server's OAuth metadata (RFC 9728).
func wantsOAuth(header http.Header) bool {
	return slices.ContainsFunc(header.Values("WWW-Authenticate"), func(challenge string) bool {
		return strings.Contains(strings.ToLower(challenge), "resource_metadata")
	})
}
