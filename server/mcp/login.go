package mcp

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// Login says who issues tokens for the server, so that clients can get one by themselves.
type Login struct {
	Issuer      string // the URL of the issuer
	ScopePrefix string // what scopes begin with in its tokens
}

// Paths of the document that tells clients about the login: that of the server, and that of the door. See RFC 9728, section 3.1.
const (
	loginPath     = "/.well-known/oauth-protected-resource"
	loginPathDoor = loginPath + Path
)

// Paths returns the paths of the door.
func (d *Door) Paths() []string {
	if d.login == nil {
		return []string{Path}
	}
	return []string{Path, loginPath, loginPathDoor}
}

func (l *Login) routes() []door.Route {
	if l == nil {
		return nil
	}
	return []door.Route{
		{Pattern: "GET " + loginPath, Serve: l.describe(""), API: loginAPI("describeLogin", "Tell who issues tokens for the server")},
		{Pattern: "GET " + loginPathDoor, Serve: l.describe(Path), API: loginAPI("describeMCPLogin", "Tell who issues tokens for MCP")},
	}
}

// resource is the metadata of a protected resource, see RFC 9728, section 2.
type resource struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name"`
}

// describe answers with the metadata of what is below a path.
func (l *Login) describe(path string) func(*door.Call) error {
	return func(c *door.Call) error {
		c.W.Header().Set("Cache-Control", "no-store") // it says under which name the client has reached the server
		return c.Answer(resource{
			Resource: address(c.R) + path, Servers: []string{l.Issuer}, Methods: []string{"header"}, Name: "agenthost",
			Scopes: l.scopes(),
		})
	}
}

// scopes are those that a client needs for everything that the door does.
func (l *Login) scopes() []string {
	return []string{l.scope(auth.ScopeRuns), l.scope(auth.ScopeThreads)}
}

func (l *Login) scope(s auth.Scope) string { return l.ScopePrefix + string(s) }

// address returns the address under which a client has reached the server. A proxy that has ended TLS says so.
func address(r *http.Request) string {
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// Challenge returns what a client without a valid credential is told about the login; "" if there is nothing to tell.
func (d *Door) Challenge(r *http.Request) string {
	if d.login == nil || r.URL.Path != Path {
		return ""
	}
	return fmt.Sprintf("Bearer resource_metadata=%q, scope=%q", address(r)+loginPathDoor, strings.Join(d.login.scopes(), " "))
}

// challenge tells a client which scope its token lacks.
func (d *Door) challenge(c *door.Call, scope auth.Scope) {
	if d.login == nil {
		return
	}
	c.W.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer error=\"insufficient_scope\", scope=%q, resource_metadata=%q",
		d.login.scope(scope), address(c.R)+loginPathDoor))
}

func loginAPI(id, summary string) door.API {
	return door.API{{Operation: openapi.Operation{ID: id, Summary: summary, Open: true, Answer: reflect.TypeFor[resource]()}}}
}
