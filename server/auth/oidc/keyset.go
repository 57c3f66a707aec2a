package oidc

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

// maxKeys is how many keys of an issuer are used.
const maxKeys = 64

// errNoKey means that a token was signed with a key that is not among those of the issuer.
var errNoKey = errors.New("the token's key is not one of the issuer's")

// keySet are the public keys of an issuer at one time.
type keySet struct {
	keys    []jose.JSONWebKey
	fetched time.Time
}

// parseKeys reads a JWK set. It leaves out what cannot check a signature of ours: secrets, keys for encryption, and kinds of keys that are
// not known.
func parseKeys(document []byte, fetched time.Time) (*keySet, error) {
	var raw struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(document, &raw); err != nil {
		return nil, errors.New("the issuer's keys are not a JWK set")
	}
	set := &keySet{fetched: fetched}
	for _, text := range raw.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(text, &key) != nil || key.Use != "" && key.Use != "sig" || len(set.keys) == maxKeys {
			continue
		}
		switch key.Key.(type) {
		case *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey:
			set.keys = append(set.keys, key)
		}
	}
	if len(set.keys) == 0 {
		return nil, errors.New("the issuer has no key that can check a signature")
	}
	return set, nil
}

// verify returns the payload of a token that one of the keys has signed.
func (s *keySet) verify(ctx context.Context, token string) ([]byte, error) {
	id, algorithm, err := header(token)
	if err != nil {
		return nil, err
	}
	var fitting oidc.StaticKeySet
	for i := range s.keys {
		key := &s.keys[i]
		if (id == "" || key.KeyID == id) && (key.Algorithm == "" || key.Algorithm == algorithm) {
			fitting.PublicKeys = append(fitting.PublicKeys, crypto.PublicKey(key.Key))
		}
	}
	if len(fitting.PublicKeys) == 0 {
		return nil, errNoKey
	}
	return fitting.VerifySignature(ctx, token)
}

// header returns the id of the key and the algorithm that a token names. The id is only compared.
func header(token string) (id, algorithm string, err error) {
	encoded, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return "", "", fmt.Errorf("the token has no header: %w", err)
	}
	var fields struct {
		ID        string `json:"kid"`
		Algorithm string `json:"alg"`
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", "", fmt.Errorf("the token has no header: %w", err)
	}
	return fields.ID, fields.Algorithm, nil
}
