package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/agenthost/agenthost/internal/terminal"
)

// place is what a login needs to know about an MCP server and its authorization server.
type place struct {
	resource string   // names the MCP server in requests for tokens
	scopes   []string // that the server asks for
	meta     metadata
}

// metadata is what an authorization server says about itself: RFC 8414.
type metadata struct {
	Issuer         string   `json:"issuer"`
	Authorization  string   `json:"authorization_endpoint"`
	Token          string   `json:"token_endpoint"`
	Registration   string   `json:"registration_endpoint"`
	Device         string   `json:"device_authorization_endpoint"`
	Revocation     string   `json:"revocation_endpoint"`
	Challenges     []string `json:"code_challenge_methods_supported"`
	Authentication []string `json:"token_endpoint_auth_methods_supported"`
	Scopes         []string `json:"scopes_supported"`
	NamesIssuer    bool     `json:"authorization_response_iss_parameter_supported"`
}

// resourceMetadata is what an MCP server says about itself: RFC 9728.
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// maxScopes is how many scopes a server may ask for.
const maxScopes = 100

// discover finds the authorization server of an MCP server.
func discover(ctx context.Context, client *http.Client, server *url.URL) (*place, error) {
	named, scopes, err := challenge(ctx, client, server)
	if err != nil {
		return nil, err
	}
	about, err := aboutResource(ctx, client, server, named)
	if err != nil {
		return nil, err
	}
	p := &place{resource: server.String(), scopes: scopes}
	issuer := (&url.URL{Scheme: server.Scheme, Host: server.Host}).String() // servers of the protocol version 2025-03-26
	if about != nil {
		if len(about.Servers) == 0 {
			return nil, errors.New("the server's metadata names no authorization server")
		}
		p.resource, issuer = about.Resource, about.Servers[0]
		if len(p.scopes) == 0 {
			p.scopes = about.Scopes
		}
	}
	if len(p.scopes) > maxScopes {
		return nil, fmt.Errorf("the server asks for more than %d scopes", maxScopes)
	}
	found, err := aboutIssuer(ctx, client, server, issuer)
	if err != nil {
		return nil, fmt.Errorf("the authorization server %s: %w", terminal.Line(cut(issuer)), err)
	}
	p.meta = *found
	return p, nil
}

// challenge asks the server without a token. It returns the address of its metadata and the scopes, if the server names them.
func challenge(ctx context.Context, client *http.Client, server *url.URL) (metadataURL string, scopes []string, err error) {
	ping := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.String(), ping)
	if err != nil {
		return "", nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	response, err := client.Do(req)
	if err != nil {
		return "", nil, fmt.Errorf("the server cannot be reached: %w", withoutURL(err))
	}
	_ = response.Body.Close() // only the header counts
	challenges, err := oauthex.ParseWWWAuthenticate(response.Header.Values("WWW-Authenticate"))
	if err != nil {
		return "", nil, nil //nolint:nilerr // the well-known addresses remain
	}
	for _, c := range challenges {
		if c.Scheme == "bearer" && c.Params["resource_metadata"] != "" {
			return c.Params["resource_metadata"], strings.Fields(c.Params["scope"]), nil
		}
	}
	return "", nil, nil
}

// aboutResource reads the metadata of the server at the address that it named, or else at the well-known ones. It returns nil if there is
// none.
func aboutResource(ctx context.Context, client *http.Client, server *url.URL, named string) (*resourceMetadata, error) {
	const known = "/.well-known/oauth-protected-resource"
	base := url.URL{Scheme: server.Scheme, Host: server.Host}
	addresses := []string{base.String() + known + strings.TrimSuffix(server.EscapedPath(), "/"), base.String() + known}
	if named != "" {
		addresses = []string{named}
	}
	for _, text := range slices.Compact(addresses) {
		address, err := secure(text, server)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the address of the server's metadata: %w", err)
		case !sameOrigin(address, server):
			return nil, fmt.Errorf("the server names metadata of another server, %s", terminal.Line(cut(address.Host)))
		}
		var about resourceMetadata
		if err := getJSON(ctx, client, address, &about); err != nil {
			if named == "" && isMissing(err) {
				continue
			}
			return nil, fmt.Errorf("the server's metadata: %w", err)
		}
		if !covers(about.Resource, server) {
			return nil, fmt.Errorf("the server's metadata is about another resource, %q", terminal.Line(cut(about.Resource)))
		}
		return &about, nil
	}
	return nil, nil
}

// isMissing reports whether a document is not there.
func isMissing(err error) bool {
	status, ok := errors.AsType[*statusError](err)
	return ok && status.status >= 400 && status.status < 500
}

// covers reports whether a resource is the server, or holds it: the same origin, with a path that the server's begins with.
func covers(resource string, server *url.URL) bool {
	u, err := url.Parse(resource)
	if err != nil || !sameOrigin(u, server) || u.User != nil || u.Fragment != "" || u.RawQuery != "" && u.RawQuery != server.RawQuery {
		return false
	}
	whole, part := strings.TrimSuffix(server.EscapedPath(), "/"), strings.TrimSuffix(u.EscapedPath(), "/")
	return whole == part || strings.HasPrefix(whole, part+"/")
}

// aboutIssuer reads the metadata of an authorization server.
func aboutIssuer(ctx context.Context, client *http.Client, server *url.URL, issuer string) (*metadata, error) {
	at, err := secure(issuer, server)
	if err != nil {
		return nil, err
	}
	origin, path := (&url.URL{Scheme: at.Scheme, Host: at.Host}).String(), strings.TrimSuffix(at.EscapedPath(), "/")
	addresses := []string{
		origin + "/.well-known/oauth-authorization-server" + path,
		origin + "/.well-known/openid-configuration" + path,
		origin + path + "/.well-known/openid-configuration",
	}
	for _, text := range slices.Compact(addresses) {
		address, err := url.Parse(text)
		if err != nil {
			return nil, err
		}
		var found metadata
		if err := getJSON(ctx, client, address, &found); err != nil {
			if isMissing(err) {
				continue
			}
			return nil, err
		}
		return &found, found.check(issuer, server)
	}
	return nil, errors.New("it has no metadata")
}

// check refuses metadata that is about another issuer, or that permits only an unsafe login.
func (m *metadata) check(issuer string, server *url.URL) error {
	if strings.TrimSuffix(m.Issuer, "/") != strings.TrimSuffix(issuer, "/") {
		return fmt.Errorf("its metadata is about another issuer, %q", terminal.Line(cut(m.Issuer)))
	}
	if m.Token == "" {
		return errors.New("its metadata has no token_endpoint")
	}
	for _, end := range []struct{ key, address string }{
		{"authorization_endpoint", m.Authorization},
		{"token_endpoint", m.Token},
		{"registration_endpoint", m.Registration},
		{"device_authorization_endpoint", m.Device},
		{"revocation_endpoint", m.Revocation},
	} {
		if end.address == "" {
			continue
		}
		if _, err := secure(end.address, server); err != nil {
			return fmt.Errorf("%s: %w", end.key, err)
		}
	}
	return nil
}
