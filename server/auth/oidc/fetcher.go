package oidc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// fetcher asks an issuer for its keys. Only one goroutine at a time may use it.
type fetcher struct {
	issuer string
	client *http.Client
	url    string // of the keys; "": not discovered
	fixed  bool   // the URL is the operator's
}

// fetch returns the present keys. After a failure it discovers their URL again, which may have changed.
func (f *fetcher) fetch(ctx context.Context) (*keySet, error) {
	if f.url == "" {
		if err := f.discover(ctx); err != nil {
			return nil, err
		}
	}
	document, err := f.get(ctx, f.url)
	var set *keySet
	if err == nil {
		set, err = parseKeys(document, time.Now())
	}
	if err != nil && !f.fixed {
		f.url = ""
	}
	return set, err
}

// discover asks the provider for the URL of its keys: https://openid.net/specs/openid-connect-discovery-1_0.html.
func (f *fetcher) discover(ctx context.Context) error {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, f.client), f.issuer)
	if err != nil {
		if mismatch, ok := errors.AsType[*oidc.IssuerMismatchError](err); ok {
			return fmt.Errorf("the provider calls itself %.200q; set issuer to that, if it is right", mismatch.Discovered)
		}
		return fmt.Errorf("the provider %s cannot be discovered: %.300s", f.issuer, err) //nolint:errorlint // it may quote a whole page
	}
	var document struct {
		KeysURL string `json:"jwks_uri"`
	}
	if err := provider.Claims(&document); err != nil {
		return fmt.Errorf("the provider's configuration: %w", err)
	}
	if err := checkURL("URL of the provider's keys", document.KeysURL); err != nil {
		return err
	}
	f.url = document.KeysURL
	return nil
}

func (f *fetcher) get(ctx context.Context, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/jwk-set+json, application/json")
	r.Header.Set("Cache-Control", "no-cache")
	response, err := f.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the keys at %s: %s", url, response.Status)
	}
	return io.ReadAll(response.Body)
}
