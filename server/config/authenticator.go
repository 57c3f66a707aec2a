package config

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/auth/oidc"
)

// Authenticator returns what authenticates requests, and a function that releases it. Without auth, everybody is the owner "" with all scopes: [Load]
// has made sure that only this machine reaches the server then.
func (c *Config) Authenticator() (_ auth.Authenticator, release func() error, err error) {
	release = func() error { return nil }
	switch a := c.Auth; {
	case a == nil && c.Listen.Public():
		return nil, nil, fmt.Errorf("config: others can reach %s, and there is no auth", c.Listen)
	case a == nil:
		all, err := auth.Anonymous(auth.Scopes()...)
		return all, release, err
	case a.Anonymous != nil:
		some, err := auth.Anonymous(a.Anonymous.Scopes...)
		return some, release, err
	}
	var all []auth.Authenticator
	if c.Auth.Header != nil {
		header, err := auth.Header(c.Auth.Header.config())
		if err != nil {
			return nil, nil, err
		}
		all = append(all, header)
	}
	if len(c.Auth.Keys) > 0 {
		keys, err := c.keys()
		if err != nil {
			return nil, nil, fmt.Errorf("config: %w", err)
		}
		all = append(all, keys)
	}
	if tokens, ok := c.Auth.tokens(); ok {
		checker, err := oidc.New(tokens)
		if err != nil {
			return nil, nil, err
		}
		all, release = append(all, checker), checker.Close
	}
	return auth.First(all...), release, nil
}

// TokenIssuer returns who issues the tokens that are accepted, and what scopes begin with in them; "" if no tokens are accepted.
func (c *Config) TokenIssuer() (issuer, scopePrefix string) {
	if c.Auth == nil {
		return "", ""
	}
	tokens, _ := c.Auth.tokens()
	return tokens.Issuer, tokens.ScopePrefix
}

// ReachIssuer fetches the keys of the issuer of tokens, and returns which issuer that is; "" if no tokens are accepted.
func (c *Config) ReachIssuer(ctx context.Context) (issuer string, err error) {
	if c.Auth == nil {
		return "", nil
	}
	tokens, ok := c.Auth.tokens()
	if !ok {
		return "", nil
	}
	checker, err := oidc.New(tokens)
	if err != nil {
		return tokens.Issuer, err
	}
	return tokens.Issuer, errors.Join(checker.FetchKeys(ctx), checker.Close())
}

func (a *Auth) tokens() (oidc.Config, bool) {
	switch {
	case a.OIDC != nil:
		return a.OIDC.config(""), true
	case a.JWT != nil:
		return a.JWT.config(a.JWT.KeysURL), true
	default:
		return oidc.Config{}, false
	}
}

// keys returns the authenticator of the keys, those in variables included.
func (c *Config) keys() (auth.Authenticator, error) {
	all := make([]auth.Key, len(c.Auth.Keys))
	for i, key := range c.Auth.Keys {
		hash, err := c.hash(key)
		if err != nil {
			return nil, err
		}
		all[i] = auth.Key{SHA256: hash, Owner: key.Owner, Scopes: key.Scopes, Name: key.Name}
	}
	return auth.Keys(all...)
}

func (c *Config) hash(key Key) (string, error) {
	if key.KeyEnv == "" {
		return key.SHA256, nil
	}
	value, ok := c.lookup(key.KeyEnv)
	if !ok || value == "" {
		return "", fmt.Errorf("the environment variable %s is not set; it has the key of %q", key.KeyEnv, key.Owner)
	}
	hash, err := auth.HashKey(value)
	if err != nil {
		return "", fmt.Errorf("the environment variable %s: %w", key.KeyEnv, err)
	}
	return hash, nil
}

// checkKeys checks keys in variables, and whether one is there twice.
func (c *Config) checkKeys(n strictyaml.Node) error {
	if c.Auth == nil || len(c.Auth.Keys) == 0 {
		return nil
	}
	if _, err := c.keys(); err != nil {
		return n.Errorf("%w", err)
	}
	return nil
}
