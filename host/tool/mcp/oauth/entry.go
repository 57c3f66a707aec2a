package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Entry is what is kept of a login. It holds secrets.
type Entry struct {
	Server       string    `json:"server"` // the key: see Key
	Resource     string    `json:"resource"`
	Issuer       string    `json:"issuer"`
	TokenURL     string    `json:"token_endpoint"`
	RevokeURL    string    `json:"revocation_endpoint,omitempty"`
	ClientID     string    `json:"client_id"`
	ClientSecret string    `json:"client_secret,omitempty"`
	SecretInBody bool      `json:"client_secret_post,omitempty"` // the client sends its secret in the form
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token,omitempty"`
	Expiry       time.Time `json:"expiry,omitzero"` // zero: unknown
	Scope        string    `json:"scope,omitempty"`
}

// Key returns the key of a server's tokens: its URL with a canonical scheme and host. Tokens for one URL are not used for another.
func Key(server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.User != nil {
		return "", errors.New("the URL is invalid")
	}
	u.Scheme, u.Host, u.Fragment = strings.ToLower(u.Scheme), strings.ToLower(u.Host), ""
	switch {
	case u.Scheme == "https":
		u.Host = strings.TrimSuffix(u.Host, ":443")
	case u.Scheme == "http" && isLoopback(u):
		u.Host = strings.TrimSuffix(u.Host, ":80")
	default:
		return "", errors.New("a login needs a URL that begins with https://")
	}
	return u.String(), nil
}

// DecodeEntry reads a stored login, which must be for this key.
func DecodeEntry(key string, text []byte) (*Entry, error) {
	var e Entry
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, errors.New("the stored login cannot be read; log in again") // the text holds secrets
	}
	if e.Server != key || e.AccessToken == "" {
		return nil, errors.New("the stored login is for another server; log in again")
	}
	return &e, nil
}

func (e *Entry) encode() ([]byte, error) {
	text, err := json.Marshal(e) //nolint:gosec // the store keeps secrets
	if err == nil && len(text) > maxEntry {
		err = fmt.Errorf("the tokens have more than %d bytes", maxEntry)
	}
	return text, err
}

// maxEntry is the size of the largest stored login, in bytes.
const maxEntry = 256 << 10
