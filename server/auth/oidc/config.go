package oidc

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/server/auth"
)

// Config says which tokens are accepted, and what they allow. Issuer and Audience are required.
type Config struct {
	Issuer   string // the claim iss, and where the provider is discovered: an https URL, or an http one of a loopback address
	Audience string // what the claim aud must contain: the id of this server, or of its client, at the provider
	KeysURL  string // the URL of the issuer's JWK set; "": discovered from Issuer

	OwnerClaim  string       // the claim with the owner, a text; "": sub. A dot leads into an object, as in user.id
	ScopesClaim string       // the claim with the scopes, a text with spaces or a list; "": scope. Scopes of others are ignored
	ScopePrefix string       // what scopes begin with in the claim, as in agenthost:threads; "": nothing
	Scopes      []auth.Scope // the scopes of every valid token, besides those of its claim

	Algorithms []string      // the signatures that are accepted; none: all of [Algorithms]
	ClockSkew  time.Duration // how much the clocks may differ; 0: 30 s; negative: nothing; at most 5 minutes

	// Client sends the requests to the provider; nil: one with a timeout of 10 seconds, and the proxies of the environment.
	Client *http.Client
}

const (
	defaultSkew = 30 * time.Second
	maxSkew     = 5 * time.Minute
)

// Algorithms returns the names of the signature algorithms that can be accepted. All are asymmetric: with a symmetric one, whoever can check a
// token could make one.
func Algorithms() []string {
	return []string{
		oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
	}
}

func (c Config) withDefaults() Config {
	c.Scopes, c.Algorithms = slices.Clone(c.Scopes), slices.Clone(c.Algorithms)
	if c.OwnerClaim == "" {
		c.OwnerClaim = "sub"
	}
	if c.ScopesClaim == "" {
		c.ScopesClaim = "scope"
	}
	if len(c.Algorithms) == 0 {
		c.Algorithms = Algorithms()
	}
	switch {
	case c.ClockSkew == 0:
		c.ClockSkew = defaultSkew
	case c.ClockSkew < 0:
		c.ClockSkew = 0
	}
	return c
}

// check checks a configuration with its defaults.
func (c *Config) check() error {
	if err := checkURL("issuer", c.Issuer); err != nil {
		return err
	}
	if c.KeysURL != "" {
		if err := checkURL("URL of the keys", c.KeysURL); err != nil {
			return err
		}
	}
	if c.Audience == "" {
		return errors.New("the audience is missing; without one, tokens for every other program of the issuer would be accepted")
	}
	if c.ClockSkew > maxSkew {
		return fmt.Errorf("the clock skew is %v; at most %v is possible", c.ClockSkew, maxSkew)
	}
	for _, name := range c.Algorithms {
		if slices.Contains(Algorithms(), name) {
			continue
		}
		if near, ok := text.Nearest(name, Algorithms()); ok && !strings.HasPrefix(name, "HS") {
			return fmt.Errorf("there is no algorithm %.32q; did you mean %q?", name, near)
		}
		return fmt.Errorf("the algorithm %.32q is not asymmetric, or unknown; use one of %s", name, strings.Join(Algorithms(), ", "))
	}
	for _, scope := range c.Scopes {
		if _, err := auth.ParseScope(string(scope)); err != nil {
			return err
		}
	}
	return nil
}

// checkURL accepts an https URL, and an http one whose bytes do not leave the machine.
func checkURL(what, address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return fmt.Errorf("the %s must be a URL such as https://login.example.com", what)
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	default:
		return fmt.Errorf("the %s %q must be an https URL: whoever changes the answer could sign tokens", what, u.Redacted())
	}
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
