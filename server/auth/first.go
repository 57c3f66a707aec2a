package auth

import (
	"errors"
	"fmt"
	"net/http"
)

// First combines authenticators: the credential of a request decides which of them checks it. The first that finds a credential of its
// kind has the last word, so that a wrong credential never gets a second chance. Without authenticators nobody gets in.
func First(authenticators ...Authenticator) Authenticator { return first(authenticators) }

type first []Authenticator

func (f first) Authenticate(r *http.Request) (Principal, error) {
	for _, a := range f {
		p, err := a.Authenticate(r)
		if !errors.Is(err, ErrNoCredential) {
			return p, err
		}
	}
	return Principal{}, fmt.Errorf("auth: %w", ErrNoCredential)
}
