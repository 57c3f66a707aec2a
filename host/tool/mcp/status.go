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
		problem = credentialAdvice(response, c.headers)
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

// credentialAdvice says how to send credentials, or that those in the headers are refused.
func credentialAdvice(response *http.Response, headers map[string]string) string {
	const example = `headers: {Authorization: "Bearer ${NAME}"} with the name of an environment variable`
	oauth := wantsOAuth(response.Header)
	switch {
	case len(headers) > 0:
		advice := fmt.Sprintf("it does not accept the credentials in headers (%s); check the values, which may have expired or allow too little",
			strings.Join(slices.Sorted(maps.Keys(headers)), ", "))
		if oauth {
			advice += "; the server also offers a login by OAuth, which is not supported yet"
		}
		return advice
	case oauth:
		return "it wants a login by OAuth, which is not supported yet; if the server takes a token that you can create yourself, send it by " + example
	default:
		return "it wants credentials; send them by " + example
	}
}

// wantsOAuth reports whether a response names the server's OAuth metadata (RFC 9728).
func wantsOAuth(header http.Header) bool {
	return slices.ContainsFunc(header.Values("WWW-Authenticate"), func(challenge string) bool {
		return strings.Contains(strings.ToLower(challenge), "resource_metadata")
	})
}
