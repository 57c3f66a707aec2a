// Package keyring keeps logins to MCP servers in the keyring of the operating system: the keychain of macOS, the credential manager of
// Windows, or the secret service of a Linux desktop.
package keyring

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
)

// Service is the name under which the keyring keeps logins.
const Service = "agenthost"

// Store keeps logins in the keyring or, where there is none or a login is too large for it, in files.
type Store struct{ files *oauth.Files }

// Open returns a store that uses these files where there is no keyring, and for its locks.
func Open(files *oauth.Files) *Store { return &Store{files} }

// Load returns the login for a key, or nil.
func (s *Store) Load(key string) (*oauth.Entry, error) {
	if e, err := s.files.Load(key); e != nil || err != nil {
		return e, err
	}
	found := make(chan string, 1)
	err := within(func() error {
		text, err := keyring.Get(Service, key)
		found <- text
		return err
	})
	switch {
	case errors.Is(err, errSilent):
		return nil, err
	case err != nil:
		return nil, nil //nolint:nilerr // there is no keyring, or it has no login
	}
	return oauth.DecodeEntry(key, []byte(<-found))
}

// Save keeps a login in one place.
func (s *Store) Save(key string, e *oauth.Entry) error {
	text, err := json.Marshal(e) //nolint:gosec // the keyring keeps secrets
	if err != nil {
		return err
	}
	if within(func() error { return keyring.Set(Service, key, string(text)) }) != nil {
		return s.files.Save(key, e)
	}
	_, err = s.files.Delete(key)
	return err
}

// Delete removes the login from both places.
func (s *Store) Delete(key string) (bool, error) {
	inFile, err := s.files.Delete(key)
	inKeyring := within(func() error { return keyring.Delete(Service, key) }) == nil
	return inFile || inKeyring, err
}

// Lock locks a file, because a keyring has no locks.
func (s *Store) Lock(ctx context.Context, key string) (func(), error) { return s.files.Lock(ctx, key) }

// patience is how long the keyring may take. A locked one asks its user for a password.
const patience = 30 * time.Second

var errSilent = errors.New("the keyring of the operating system does not answer; unlock it")

// within calls the keyring, which takes no context. If it does not return in time, the call is left behind.
func within(call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	waiting, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	select {
	case err := <-done:
		return err
	case <-waiting.Done():
		return errSilent
	}
}
