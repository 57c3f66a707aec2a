package manifest

import (
	"strings"

	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// oauthEntry configures the login to an MCP server.
type oauthEntry struct {
	node strictyaml.Node

	ClientID     string   `yaml:"client_id"`     // the id of a client that is registered with the authorization server; default: one is registered
	ClientSecret string   `yaml:"client_secret"` // the secret of that client
	Issuer       string   `yaml:"issuer"`        // the authorization server of that client; another one is refused
	Scopes       []string `yaml:"scopes"`        // the scopes to ask for; default: those that the server asks for
	// the port of the address on this machine to which the browser returns; default: any free port
	RedirectPort int `yaml:"redirect_port" strict:"min=1,max=65535"`
}

// UnmarshalStrict decodes the configuration, and keeps its place.
func (e *oauthEntry) UnmarshalStrict(n strictyaml.Node) error {
	type fields oauthEntry
	e.node = n
	return n.Decode((*fields)(e))
}

// client returns the client for logins to the server.
func (e *mcpEntry) client(store oauth.Store) oauth.Client {
	client := oauth.Client{Server: e.URL, Store: store}
	if o := e.OAuth; o != nil {
		client.ClientID, client.ClientSecret, client.Issuer = o.ClientID, o.ClientSecret, o.Issuer
		client.Scopes, client.RedirectPort = o.Scopes, o.RedirectPort
	}
	return client
}

// checkOAuth refuses a configuration of the login that does not fit the server.
func (e *mcpEntry) checkOAuth() error {
	if e.OAuth == nil {
		return nil
	}
	if e.URL == "" {
		return e.OAuth.node.Errorf("oauth: it only applies to a url")
	}
	for name := range e.Headers {
		if strings.EqualFold(name, "Authorization") {
			return e.OAuth.node.Errorf("oauth: the headers have Authorization already; remove one of them")
		}
	}
	client := e.client(nil)
	err := client.Check()
	if err == nil {
		return nil
	}
	key, _, _ := strings.Cut(err.Error(), ":")
	if at, ok := e.OAuth.node.Get(key); ok {
		return at.Errorf("%w", err)
	}
	return e.OAuth.node.Errorf("%w", err)
}

// logins returns the access tokens for the server, which the user gets with 'agenthost login'. It returns nil for a server that cannot have
// any.
func (e *mcpEntry) logins(m *Manifest) (mcp.Authorizer, error) {
	switch {
	case e.URL == "":
		return nil, nil
	case m.loginStore == nil && e.OAuth != nil && !m.inMemory:
		return nil, e.OAuth.node.Errorf("oauth: this program keeps no logins; it has to set Options.Logins")
	case m.loginStore == nil:
		return nil, nil
	}
	source, err := oauth.NewSource(e.client(m.loginStore))
	if err != nil {
		return nil, nil //nolint:nilerr // such as a URL without TLS: it works, but without a login
	}
	return source, nil
}
