package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/headerfield"
)

// tokenResponse is a successful answer of a token endpoint: RFC 6749, section 5.1.
type tokenResponse struct {
	AccessToken  string  `json:"access_token"`
	TokenType    string  `json:"token_type"`
	ExpiresIn    float64 `json:"expires_in"` // seconds; 0: unknown
	RefreshToken string  `json:"refresh_token"`
	Scope        string  `json:"scope"`
}

// requestToken asks the token endpoint of the entry, and puts the answer into the entry.
func requestToken(ctx context.Context, client *http.Client, e *Entry, form url.Values, now func() time.Time) error {
	form.Set("resource", e.Resource)
	start := now()
	var got tokenResponse
	if err := postForm(ctx, client, e.TokenURL, form, e.authenticate(form), &got); err != nil {
		return err
	}
	switch {
	case !isToken(got.AccessToken) || got.RefreshToken != "" && !isToken(got.RefreshToken):
		return errors.New("it answers without a usable token")
	case !strings.EqualFold(got.TokenType, "bearer"):
		return fmt.Errorf("it answers with a token of the type %q, which is not supported", cut(got.TokenType))
	}
	e.AccessToken, e.Expiry = got.AccessToken, time.Time{}
	if got.RefreshToken != "" { // otherwise the old one stays valid
		e.RefreshToken = got.RefreshToken
	}
	if got.Scope != "" {
		e.Scope = cut(got.Scope)
	}
	if got.ExpiresIn > 0 {
		e.Expiry = start.Add(time.Duration(min(got.ExpiresIn, maxLifetime) * float64(time.Second))).UTC().Truncate(time.Second)
	}
	return nil
}

// maxLifetime is the longest lifetime of a token that is believed, in seconds: ten years.
const maxLifetime = 10 * 365 * 24 * 3600

// isToken reports whether a token can be sent in a header.
func isToken(token string) bool {
	return token != "" && len(token) <= maxToken && headerfield.IsValue(token) && !strings.ContainsAny(token, " \t")
}

// authenticate adds the client's id and secret to a request: RFC 6749, section 2.3.1.
func (e *Entry) authenticate(form url.Values) func(*http.Request) {
	if e.ClientSecret != "" && !e.SecretInBody {
		return func(req *http.Request) {
			req.SetBasicAuth(url.QueryEscape(e.ClientID), url.QueryEscape(e.ClientSecret))
		}
	}
	form.Set("client_id", e.ClientID)
	if e.ClientSecret != "" {
		form.Set("client_secret", e.ClientSecret)
	}
	return nil
}

// pause waits, at most until the context ends.
func pause(ctx context.Context, d time.Duration) error {
	inside, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-inside.Done()
	return ctx.Err()
}
