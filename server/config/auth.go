package config

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/auth/oidc"
)

// Auth says who may use the server. Keys can be combined with oidc or jwt, and with header; the credential of a request decides which of
// them checks it.
type Auth struct {
	Keys      []Key      `yaml:"keys"`      // keys that clients send as x-api-key or as a Bearer token
	OIDC      *OIDC      `yaml:"oidc"`      // tokens of an OpenID Connect provider
	JWT       *JWT       `yaml:"jwt"`       // tokens of an issuer that publishes its keys, without discovery
	Header    *Header    `yaml:"header"`    // a header in which a proxy says who sends a request
	Anonymous *Anonymous `yaml:"anonymous"` // everybody, without a credential; with no other way in
}

// Key is a key that opens the server. One of sha256 and key_env is required.
type Key struct {
	// the SHA-256 of the key, as 64 hexadecimal digits
	SHA256 string `yaml:"sha256"`
	// the environment variable that has the key
	KeyEnv string `yaml:"key_env"`
	// whose key it is; threads and runs belong to an owner
	Owner string `yaml:"owner" strict:"required"`
	// what it allows; default: nothing
	Scopes []auth.Scope `yaml:"scopes" strict:"enum=threads|runs|store|assistants:write|admin"`
	// what the log calls it; default: the first 8 digits of its hash
	Name string `yaml:"name"`
}

// Tokens says which tokens are accepted, and what they allow.
type Tokens struct {
	Issuer   string `yaml:"issuer" strict:"required"`   // the URL of the issuer, as it is in the claim iss
	Audience string `yaml:"audience" strict:"required"` // what the claim aud must contain: the id of this server at the issuer
	// the claim with the owner; a dot leads into an object. Choose one that people cannot change themselves. Default sub
	OwnerClaim string `yaml:"owner_claim" schema:"default=sub"`
	// the claim with the scopes, a text with spaces or a list; default scope
	ScopesClaim string `yaml:"scopes_claim" schema:"default=scope"`
	// what scopes begin with in the claim, such as agenthost:
	ScopePrefix string `yaml:"scope_prefix"`
	// what every token allows, besides the scopes of its claim
	Scopes []auth.Scope `yaml:"scopes" strict:"enum=threads|runs|store|assistants:write|admin"`
	// the signatures that are accepted; default: all
	Algorithms []string `yaml:"algorithms" strict:"enum=RS256|RS384|RS512|PS256|PS384|PS512|ES256|ES384|ES512|EdDSA"`
	// how much the clocks of issuer and server may differ; default 30s
	ClockSkew time.Duration `yaml:"clock_skew" strict:"min=1s,max=5m" schema:"default=30s"`
}

// OIDC is an OpenID Connect provider, which is discovered from its issuer.
type OIDC struct{ Tokens }

// JWT is an issuer of signed tokens.
type JWT struct {
	Tokens

	KeysURL string `yaml:"keys_url" strict:"required"` // the URL of the issuer's keys, a JWK set
}

// Header is a header in which a proxy says who sends a request. The proxy must remove it from what its clients send.
type Header struct {
	// the header with the owner, such as X-Forwarded-User
	Name string `yaml:"name" strict:"required"`
	// the networks of the proxies, such as 10.0.0.7/32; a request of anybody else that has the header is refused
	Proxies []string `yaml:"proxies"`
	// whether programs that connect to the server's Unix socket are such proxies; default false
	UnixSocket bool         `yaml:"unix_socket"`
	Scopes     []auth.Scope `yaml:"scopes" strict:"enum=threads|runs|store|assistants:write|admin"` // what every owner may do
	// a header with further scopes
	ScopesHeader string `yaml:"scopes_header"`
}

// Anonymous lets everybody in who reaches the server.
type Anonymous struct {
	Scopes []auth.Scope `yaml:"scopes" strict:"required,enum=threads|runs|store|assistants:write|admin"` // what everybody may do
	// whether an address that others can reach may be open to all of them; default false
	AllowPublic bool `yaml:"allow_public"`
}

// protects reports whether auth keeps strangers out, or was told not to.
func (a *Auth) protects() bool { return a != nil && (a.Anonymous == nil || a.Anonymous.AllowPublic) }

// CheckStrict checks which ways in can be combined.
func (a *Auth) CheckStrict(n strictyaml.Node) error {
	given := 0
	for _, is := range []bool{len(a.Keys) > 0, a.OIDC != nil, a.JWT != nil, a.Header != nil, a.Anonymous != nil} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return n.Errorf("auth has no way in; add keys, oidc, jwt or header, or remove auth to let in everybody on this machine")
	case a.Anonymous != nil && given > 1:
		return n.Errorf("anonymous lets everybody in, so the other ways in would protect nothing; remove one of them")
	case a.OIDC != nil && a.JWT != nil:
		return n.Errorf("oidc and jwt would check the same tokens; remove one of them")
	default:
		return nil
	}
}

// CheckStrict checks a key, except for the one in a variable.
func (k *Key) CheckStrict(n strictyaml.Node) error {
	hash, hasHash := n.Get("sha256")
	variable, hasVariable := n.Get("key_env")
	switch {
	case hasHash == hasVariable:
		return n.Errorf("a key needs either sha256 or key_env")
	case hasHash && !isHash(k.SHA256):
		return hash.Errorf("sha256 must be the SHA-256 of the key as 64 hexadecimal digits, and not the key itself; `printf %%s KEY | sha256sum` prints it")
	case hasVariable && !isVariable(k.KeyEnv):
		return variable.Errorf("key_env must be the name of an environment variable, and not the key itself")
	}
	if err := auth.CheckOwner(k.Owner); err != nil {
		owner, _ := n.Get("owner")
		return owner.Errorf("%w", err)
	}
	return nil
}

func isHash(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32
}

// isVariable accepts the usual names of variables. A key in their place has other characters, or is longer.
func isVariable(name string) bool { return len(name) <= 64 && variableName().MatchString(name) }

var variableName = lazyregexp.New(`^[A-Z_][A-Z0-9_]*$`)

// CheckStrict checks what the keys say together.
func (o *OIDC) CheckStrict(n strictyaml.Node) error { return o.check(n, "") }

// CheckStrict checks what the keys say together.
func (j *JWT) CheckStrict(n strictyaml.Node) error { return j.check(n, j.KeysURL) }

func (t *Tokens) check(n strictyaml.Node, keysURL string) error {
	a, err := oidc.New(t.config(keysURL))
	if err != nil {
		return n.Errorf("%s", strings.TrimPrefix(err.Error(), "auth: oidc: "))
	}
	return a.Close()
}

func (t *Tokens) config(keysURL string) oidc.Config {
	return oidc.Config{
		Issuer: t.Issuer, Audience: t.Audience, KeysURL: keysURL, OwnerClaim: t.OwnerClaim, ScopesClaim: t.ScopesClaim, ScopePrefix: t.ScopePrefix,
		Scopes: t.Scopes, Algorithms: t.Algorithms, ClockSkew: t.ClockSkew,
	}
}

// CheckStrict checks what the keys say together.
func (h *Header) CheckStrict(n strictyaml.Node) error {
	networks, _ := n.Get("proxies")
	for i, item := range networks.Items() {
		if _, err := netip.ParsePrefix(h.Proxies[i]); err != nil {
			return item.Errorf("%q is not a network; write 10.0.0.7/32 for one address, or 10.0.0.0/8", h.Proxies[i])
		}
	}
	if _, err := auth.Header(h.config()); err != nil {
		return n.Errorf("%s", strings.TrimPrefix(err.Error(), "auth: "))
	}
	return nil
}

// config returns the settings for package auth. Networks that cannot be read are left out: CheckStrict has refused them.
func (h *Header) config() auth.HeaderConfig {
	c := auth.HeaderConfig{Name: h.Name, UnixSocket: h.UnixSocket, Scopes: h.Scopes, ScopesHeader: h.ScopesHeader}
	for _, text := range h.Proxies {
		if network, err := netip.ParsePrefix(text); err == nil {
			c.Proxies = append(c.Proxies, network)
		}
	}
	return c
}
