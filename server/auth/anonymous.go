package auth

import (
	"net/http"
	"slices"
)

// Anonymous returns an authenticator that takes everybody for the owner "" with these scopes, whatever credentials they send.
func Anonymous(scopes ...Scope) (Authenticator, error) {
	if err := checkScopes(scopes); err != nil {
		return nil, err
	}
	return anonymous{slices.Clone(scopes)}, nil
}

type anonymous struct{ scopes []Scope }

func (a anonymous) Authenticate(*http.Request) (Principal, error) {
	return Principal{Scopes: a.scopes, Kind: "anonymous", Name: "anonymous"}, nil
}
