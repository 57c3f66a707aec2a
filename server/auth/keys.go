package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/agenthost/agenthost/runs"
)

// Key is a key that opens a server. Only its hash is kept.
type Key struct {
	SHA256 string  // SHA-256 of the key, as 64 hexadecimal digits: see [HashKey]
	Owner  string  // whose key it is
	Scopes []Scope // what it allows; none: nothing
	Name   string  // what logs call it; "": the first 8 digits of the hash
}

// MinKey is the length of the shortest key that [HashKey] takes, in bytes. A short one can be found by trying.
const MinKey = 16

// HashKey returns the SHA-256 of a key as 64 hexadecimal digits. A key is random text: the hash of a word that people would choose can be
// found by trying. It returns an error for a key that has fewer than [MinKey] bytes, that a header cannot carry, or that has the form of a
// token.
func HashKey(key string) (string, error) {
	if len(key) < MinKey {
		return "", fmt.Errorf("auth: the key has %d bytes; use at least %d random ones, such as those of `openssl rand -hex 32`", len(key), MinKey)
	}
	if _, err := checked("key", key); err != nil || IsToken(key) {
		return "", errors.New("auth: the key cannot be sent; use letters and digits, such as those of `openssl rand -hex 32`")
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:]), nil
}

// Keys returns an authenticator for these keys, which clients send as x-api-key or as a Bearer token. It returns an error for a
// hash that is none or is there twice, a missing owner, or an unknown scope.
func Keys(keys ...Key) (Authenticator, error) {
	all := make(keySet, 0, len(keys))
	for i, key := range keys {
		one, err := newKey(key)
		if err != nil {
			return nil, fmt.Errorf("auth: key %d: %w", i+1, err)
		}
		if j := slices.IndexFunc(all, func(k hashedKey) bool { return k.hash == one.hash }); j >= 0 {
			return nil, fmt.Errorf("auth: the keys %d and %d are the same; remove one", j+1, i+1)
		}
		all = append(all, one)
	}
	return all, nil
}

type hashedKey struct {
	hash      [sha256.Size]byte
	principal Principal
}

func newKey(key Key) (hashedKey, error) {
	sum, err := hex.DecodeString(key.SHA256)
	if err != nil || len(sum) != sha256.Size {
		return hashedKey{}, errors.New("sha256 must be the SHA-256 of the key as 64 hexadecimal digits, and not the key itself")
	}
	if err := CheckOwner(key.Owner); err != nil {
		return hashedKey{}, err
	}
	if err := checkScopes(key.Scopes); err != nil {
		return hashedKey{}, err
	}
	p := Principal{Owner: key.Owner, Scopes: slices.Clone(key.Scopes), Kind: keysKind, Name: key.Name}
	if p.Name == "" {
		p.Name = hex.EncodeToString(sum[:4])
	}
	return hashedKey{[sha256.Size]byte(sum), p}, nil
}

// CheckOwner returns an error if a credential cannot be that of an owner. The owner "" is everybody, so no credential is.
func CheckOwner(owner string) error {
	if owner == "" {
		return errors.New("the owner is missing")
	}
	return runs.CheckOwner(owner)
}

type keySet []hashedKey

// Authenticate compares the hash of the credential with all keys, however early one fits, so that its time says nothing about them.
func (k keySet) Authenticate(r *http.Request) (Principal, error) {
	credential, err := Credential(r)
	if err != nil {
		return Principal{}, err
	}
	if IsToken(credential) { // of another authenticator, or of nobody
		return Principal{}, fmt.Errorf("auth: the request has a token, and no key: %w", ErrNoCredential)
	}
	sum, found := sha256.Sum256([]byte(credential)), -1
	for i := range k {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], k[i].hash[:]), i, found)
	}
	if found < 0 {
		return Principal{}, fmt.Errorf("auth: there is no such key: %w", ErrBadCredential)
	}
	return k[found].principal, nil
}
