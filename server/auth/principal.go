package auth

import (
	"context"
	"fmt"
	"slices"
)

// Principal is who sends a request.
type Principal struct {
	Owner  string  // to whom everything belongs that the request makes; "": everybody, only from [Anonymous]
	Scopes []Scope // what the request may do; none: nothing
	Kind   string  // the authenticator: keys, oidc, header or anonymous
	Name   string  // for logs and limits: the name of the key, the owner for others; it is not a secret
}

// Can reports whether the principal has a scope. [ScopeAdmin] includes all others.
func (p *Principal) Can(scope Scope) bool {
	return slices.Contains(p.Scopes, scope) || slices.Contains(p.Scopes, ScopeAdmin)
}

// Need returns an error that wraps [ErrForbidden] if the principal lacks a scope.
func (p *Principal) Need(scope Scope) error {
	if p.Can(scope) {
		return nil
	}
	return fmt.Errorf("auth: %s %q lacks the scope %s: %w", p.Kind, p.Name, scope, ErrForbidden)
}

// keysKind is the kind of principals with a key.
const keysKind = "keys"

// Guessable reports whether trying could find the credential: a key is only a text, unlike a signature or the word of a proxy.
func (p *Principal) Guessable() bool { return p.Kind == keysKind }

// ID names the credential of a principal, for limits of requests.
func (p *Principal) ID() string { return p.Kind + ":" + p.Name }

type principalKey struct{}

// WithPrincipal returns a context that carries the principal of a request.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// FromContext returns the principal of a request. Without one it returns a principal that may do nothing, and false.
func FromContext(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(principalKey{}).(Principal)
	return p, ok
}
