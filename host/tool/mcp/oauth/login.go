package oauth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/terminal"
)

// Client logs in to one MCP server.
type Client struct {
	Server string // the URL of the MCP server
	Store  Store  // keeps the tokens

	ClientID     string // of a client registered with the authorization server; "": one is registered
	ClientSecret string
	Scopes       []string // nil: those that the server asks for
	Issuer       string   // the authorization server that the client belongs to; another one is refused. "": any
	RedirectPort int      // the port of the address to which the browser returns; 0: any free one

	Transport http.RoundTripper // nil: the default, with the environment's proxy
	Clock     func() time.Time  // nil: time.Now
}

// Check reports an invalid configuration without any request.
func (c *Client) Check() error {
	switch _, err := Key(c.Server); {
	case err != nil:
		return err
	case c.ClientSecret != "" && c.ClientID == "":
		return errors.New("client_secret: it needs a client_id")
	case c.RedirectPort < 0 || c.RedirectPort > 65535:
		return errors.New("redirect_port: a port is between 1 and 65535")
	}
	for _, scope := range c.Scopes {
		if !isScope(scope) {
			return fmt.Errorf("scopes: %q is not a scope", scope)
		}
	}
	return nil
}

// isScope reports whether a text is a scope: RFC 6749, section 3.3.
func isScope(scope string) bool {
	return scope != "" && len(scope) <= 256 && !strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

func (c *Client) http() *http.Client { return newHTTP(c.Transport) }

func (c *Client) now() time.Time {
	if c.Clock != nil {
		return c.Clock()
	}
	return time.Now() //nolint:forbidigo // the default of the clock in Client
}

// scopes returns the scopes to ask for. offline_access asks for a refresh token where the server has that scope.
func (c *Client) scopes(p *place) []string {
	asked := c.Scopes
	if asked == nil {
		asked = p.scopes
	}
	scopes := slices.DeleteFunc(slices.Clone(asked), func(s string) bool { return !isScope(s) })
	if len(scopes) > 0 && slices.Contains(p.meta.Scopes, "offline_access") && !slices.Contains(scopes, "offline_access") {
		scopes = append(scopes, "offline_access")
	}
	return scopes
}

// begin finds the authorization server, and begins an entry.
func (c *Client) begin(ctx context.Context) (*place, *Entry, error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	key, err := Key(c.Server)
	if err != nil {
		return nil, nil, err
	}
	server, err := url.Parse(key)
	if err != nil {
		return nil, nil, err
	}
	p, err := discover(ctx, c.http(), server)
	if err != nil {
		return nil, nil, err
	}
	if c.Issuer != "" && strings.TrimSuffix(c.Issuer, "/") != strings.TrimSuffix(p.meta.Issuer, "/") {
		return nil, nil, fmt.Errorf("the server names the authorization server %s, and not the configured issuer %s",
			terminal.Line(cut(p.meta.Issuer)), c.Issuer)
	}
	return p, &Entry{Server: key, Resource: p.resource, Issuer: p.meta.Issuer, TokenURL: p.meta.Token, RevokeURL: p.meta.Revocation}, nil
}

// keep stores the tokens while no other process renews them.
func (c *Client) keep(ctx context.Context, e *Entry) error {
	unlock, err := c.Store.Lock(ctx, e.Server)
	if err != nil {
		return err
	}
	defer unlock()
	return c.Store.Save(e.Server, e)
}

// Login logs in with a browser on this machine. show gets the address that the user must visit; it may open a browser there. The login
// ends when the browser returns, or with the context.
func (c *Client) Login(ctx context.Context, show func(address string)) (*Entry, error) {
	p, e, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case p.meta.Authorization == "":
		return nil, errors.New("the authorization server offers no login with a browser; use a device code")
	case !slices.Contains(p.meta.Challenges, "S256"):
		return nil, errors.New("the authorization server does not say that it supports PKCE with S256, so a login would not be safe")
	}
	back, err := listen(ctx, c.RedirectPort)
	if err != nil {
		return nil, err
	}
	defer back.close()
	if err := c.identify(ctx, p, e, back.address, grantCode); err != nil {
		return nil, err
	}
	state, verifier := rand.Text(), rand.Text()+rand.Text() // 52 characters of base32
	challenge := sha256.Sum256([]byte(verifier))
	address, err := withQuery(p.meta.Authorization, url.Values{
		"response_type": {"code"}, "client_id": {e.ClientID}, "redirect_uri": {back.address}, "state": {state}, "resource": {e.Resource},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}, c.scopes(p))
	if err != nil {
		return nil, err
	}
	back.expect(state, p.meta.Issuer, p.meta.NamesIssuer)
	show(address)
	code, err := back.wait(ctx)
	if err != nil {
		return nil, err
	}
	form := url.Values{"grant_type": {grantCode}, "code": {code}, "redirect_uri": {back.address}, "code_verifier": {verifier}}
	if err := requestToken(ctx, c.http(), e, form, c.now); err != nil {
		return nil, fmt.Errorf("the authorization server gives no token: %w", err)
	}
	return e, c.keep(ctx, e)
}

// withQuery adds parameters to a URL, and the scopes if there are some.
func withQuery(address string, parameters url.Values, scopes []string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	query := u.Query()
	maps.Copy(query, parameters)
	if len(scopes) > 0 {
		query.Set("scope", strings.Join(scopes, " "))
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// Logout removes the tokens, and asks the authorization server to revoke them if it can. It reports whether there were any. The error
// may be that of the revocation, after the tokens were removed.
func (c *Client) Logout(ctx context.Context) (bool, error) {
	key, err := Key(c.Server)
	if err != nil {
		return false, err
	}
	unlock, err := c.Store.Lock(ctx, key)
	if err != nil {
		return false, err
	}
	defer unlock()
	e, loading := c.Store.Load(key)
	found, err := c.Store.Delete(key)
	if err != nil || loading != nil || e == nil || e.RevokeURL == "" {
		return found, err
	}
	form := url.Values{"token": {cmp.Or(e.RefreshToken, e.AccessToken)}}
	if e.RefreshToken != "" {
		form.Set("token_type_hint", "refresh_token")
	}
	if err := postForm(ctx, c.http(), e.RevokeURL, form, e.authenticate(form), nil); err != nil {
		return found, fmt.Errorf("the tokens were removed here, but the authorization server %s did not revoke them: %w", terminal.Line(cut(e.Issuer)), err)
	}
	return found, nil
}
