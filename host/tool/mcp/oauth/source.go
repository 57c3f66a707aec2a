package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// ErrLogin reports that the user must log in again.
var ErrLogin = errors.New("the login has expired")

// Source gives the access token of a stored login, and renews it. Its methods are safe for concurrent use.
type Source struct {
	client *Client
	key    string
	turn   chan struct{} // held while the login is read or renewed
	known  *Entry        // guarded by turn
}

// NewSource returns the tokens for the client's server. The error says why its URL cannot have any.
func NewSource(client Client) (*Source, error) {
	if err := client.Check(); err != nil {
		return nil, err
	}
	key, err := Key(client.Server)
	if err != nil {
		return nil, err
	}
	return &Source{client: &client, key: key, turn: make(chan struct{}, 1)}, nil
}

// Client returns the client that logs in to the server.
func (s *Source) Client() *Client { return s.client }

// early is how long before its end a token is renewed, so that it is valid when it arrives.
const early = 30 * time.Second

// Token returns the access token, or "" if the user is not logged in. It first renews a token that ends soon, and one that was rejected:
// the token that the server has just refused, or "". Only one caller at a time renews a login, in all processes that share the store.
// An error that wraps [ErrLogin] says that it cannot be renewed.
func (s *Source) Token(ctx context.Context, rejected string) (string, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-s.turn }()
	if s.usable(s.known, rejected) {
		return s.known.AccessToken, nil
	}
	var err error
	if s.known, err = s.client.Store.Load(s.key); err != nil || s.known == nil {
		return "", err
	}
	if s.usable(s.known, rejected) { // another process has renewed it, or the user has logged in
		return s.known.AccessToken, nil
	}
	return s.renew(ctx, rejected)
}

// usable reports whether a login has a token that need not be renewed.
func (s *Source) usable(e *Entry, rejected string) bool {
	return e != nil && e.AccessToken != rejected && (e.Expiry.IsZero() || s.client.now().Add(early).Before(e.Expiry))
}

// renew renews the login. A refresh token may be valid only once, so nobody else may use it meanwhile, and the new one is kept even if
// the context ends.
func (s *Source) renew(ctx context.Context, rejected string) (string, error) {
	unlock, err := s.client.Store.Lock(ctx, s.key)
	if err != nil {
		return "", err
	}
	defer unlock()
	if s.known, err = s.client.Store.Load(s.key); err != nil || s.known == nil {
		return "", err
	}
	if s.usable(s.known, rejected) { // it was renewed while this caller waited
		return s.known.AccessToken, nil
	}
	if s.known.RefreshToken == "" {
		return "", fmt.Errorf("%w, and the authorization server gave no token to renew it", ErrLogin)
	}
	renewed := *s.known
	err = requestToken(context.WithoutCancel(ctx), s.client.http(), &renewed,
		url.Values{"grant_type": {grantRefresh}, "refresh_token": {renewed.RefreshToken}}, s.client.now)
	if status, ok := errors.AsType[*statusError](err); ok && (status.code == "invalid_grant" || status.code == "invalid_client") {
		return "", fmt.Errorf("%w: the authorization server does not renew it: %w", ErrLogin, err)
	}
	if err != nil {
		return "", fmt.Errorf("the login could not be renewed: %w", err)
	}
	if err := s.client.Store.Save(s.key, &renewed); err != nil {
		return "", fmt.Errorf("the renewed login could not be kept: %w", err)
	}
	s.known = &renewed
	return renewed.AccessToken, nil
}
