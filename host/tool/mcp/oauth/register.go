package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// registration is what is sent and answered in a dynamic registration: RFC 7591.
type registration struct {
	ClientName     string   `json:"client_name,omitempty"`
	RedirectURIs   []string `json:"redirect_uris,omitempty"`
	GrantTypes     []string `json:"grant_types,omitempty"`
	ResponseTypes  []string `json:"response_types,omitempty"`
	Authentication string   `json:"token_endpoint_auth_method,omitempty"`
	Application    string   `json:"application_type,omitempty"`
	Scope          string   `json:"scope,omitempty"`
	ClientID       string   `json:"client_id,omitempty"`
	ClientSecret   string   `json:"client_secret,omitempty"`
}

const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

// identify puts the client's id and secret into the entry. Without a configured id it registers a client.
func (c *Client) identify(ctx context.Context, p *place, e *Entry, redirect, grant string) error {
	if c.ClientID != "" {
		e.ClientID, e.ClientSecret = c.ClientID, c.ClientSecret
		e.SecretInBody = inBody(p.meta.Authentication)
		return nil
	}
	if p.meta.Registration == "" {
		return errors.New("the authorization server registers no clients by itself; register one there, and set its client_id")
	}
	asked := registration{
		ClientName: "agenthost", GrantTypes: []string{grant, grantRefresh}, Authentication: "none", Application: "native",
		Scope: strings.Join(c.scopes(p), " "),
	}
	if redirect != "" {
		asked.RedirectURIs, asked.ResponseTypes = []string{redirect}, []string{"code"}
	}
	body, err := json.Marshal(asked) //nolint:gosec // a request to register has no secret
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.meta.Registration, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	var got registration
	if err := perform(c.http(), req, &got); err != nil {
		return fmt.Errorf("the authorization server does not register a client: %w; register one there, and set its client_id", err)
	}
	if got.ClientID == "" || len(got.ClientID) > 4096 || len(got.ClientSecret) > 4096 {
		return errors.New("the authorization server registers a client without a usable id")
	}
	e.ClientID, e.ClientSecret = got.ClientID, got.ClientSecret
	e.SecretInBody = got.Authentication == "client_secret_post"
	return nil
}

// inBody reports whether a server accepts a client's secret only in the form.
func inBody(methods []string) bool {
	return slices.Contains(methods, "client_secret_post") && !slices.Contains(methods, "client_secret_basic")
}
