package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/agenthost/agenthost/server/auth"
)

// Authenticator checks signed tokens. See [New].
type Authenticator struct {
	config Config
	keys   *keySource
	client *http.Client
}

// New returns an authenticator for the tokens of an issuer. It asks nobody before the first token comes. Call Close after use.
func New(config Config) (*Authenticator, error) {
	c := config.withDefaults()
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("auth: oidc: %w", err)
	}
	client := newClient(c.Client)
	return &Authenticator{config: c, client: client, keys: newKeySource(c.Issuer, c.KeysURL, client)}, nil
}

// Close closes idle connections to the provider.
func (a *Authenticator) Close() error {
	a.client.CloseIdleConnections()
	return nil
}

// FetchKeys fetches the keys of the issuer unless they are there already, as the first token does.
func (a *Authenticator) FetchKeys(ctx context.Context) error {
	if _, err := a.keys.fresh(ctx); err != nil {
		return fmt.Errorf("auth: oidc: %w", err)
	}
	return nil
}

// Authenticate checks the token of a request, see [auth.Credential].
func (a *Authenticator) Authenticate(r *http.Request) (auth.Principal, error) {
	token, err := auth.Credential(r)
	if err != nil {
		return auth.Principal{}, err
	}
	if !auth.IsToken(token) {
		return auth.Principal{}, fmt.Errorf("auth: oidc: the request has a key, and no token: %w", auth.ErrNoCredential)
	}
	claims, err := a.verify(r.Context(), token)
	if err != nil {
		return auth.Principal{}, fmt.Errorf("auth: oidc: %w", err)
	}
	owner, err := claims.owner(a.config.OwnerClaim)
	if err != nil {
		return auth.Principal{}, fmt.Errorf("auth: oidc: %w: %w", err, auth.ErrBadCredential)
	}
	scopes := append(claims.scopes(a.config.ScopesClaim, a.config.ScopePrefix), a.config.Scopes...)
	return auth.Principal{Owner: owner, Scopes: scopes, Kind: "oidc", Name: owner}, nil
}

// verify returns the claims of a token whose signature, issuer, audience and times are right.
func (a *Authenticator) verify(ctx context.Context, token string) (claims, error) {
	keys := &checkedKeys{source: a.keys}
	verified, err := oidc.NewVerifier(a.config.Issuer, keys, &oidc.Config{
		ClientID: a.config.Audience, SupportedSigningAlgs: a.config.Algorithms,
		SkipExpiryCheck: true, // within does it, with the skew of the configuration for both ends
	}).Verify(ctx, token)
	switch {
	case keys.err != nil:
		return nil, keys.err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", err, auth.ErrBadCredential)
	}
	var all claims
	if err := verified.Claims(&all); err != nil {
		return nil, fmt.Errorf("%w: %w", err, auth.ErrBadCredential)
	}
	if err := all.within(time.Now(), a.config.ClockSkew); err != nil {
		return nil, fmt.Errorf("%w: %w", err, auth.ErrBadCredential)
	}
	return all, nil
}

// within checks when a token is valid. A token without an end is refused: it could not be taken back.
func (c claims) within(now time.Time, skew time.Duration) error {
	end, ok, err := c.time("exp")
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("the token has no claim exp")
	}
	if !now.Add(-skew).Before(end) {
		return fmt.Errorf("the token expired at %v", end)
	}
	for _, name := range []string{"nbf", "iat"} {
		begin, ok, err := c.time(name)
		if err != nil {
			return err
		}
		if ok && now.Add(skew).Before(begin) {
			return fmt.Errorf("the token is not valid before %v (%s)", begin, name)
		}
	}
	return nil
}

// time returns a claim that is a number of seconds since 1970.
func (c claims) time(name string) (time.Time, bool, error) {
	raw, ok := c[name]
	if !ok {
		return time.Time{}, false, nil
	}
	var seconds float64
	if err := json.Unmarshal(raw, &seconds); err != nil || string(raw) == "null" || math.Abs(seconds) > 1<<52 {
		return time.Time{}, false, fmt.Errorf("the claim %s is not a time", name)
	}
	return time.Unix(int64(seconds), 0).UTC(), true, nil
}
