// Package oidc checks signed tokens (JWT): those of an OpenID Connect provider, which it discovers from the URL of the issuer, and those of
// any issuer that publishes its keys as a JWK set.
//
//	authenticator, err := oidc.New(oidc.Config{Issuer: "https://login.example.com", Audience: "agenthost", ScopePrefix: "agenthost:"})
//
// # What is checked
//
// The signature, by an asymmetric algorithm and a key of the issuer; the issuer; the audience; exp, which must be there, nbf and iat,
// with an allowance for clocks that differ; and the claim of the owner. What a token says about its own key (jku, x5u, jwk, and any path in
// its kid) is not looked at.
//
// # When the provider cannot be reached
//
// Nothing is asked before the first token comes, so a server starts while its provider is down. Until the provider answers, tokens are
// refused with [github.com/agenthost/agenthost/server/auth.ErrUnavailable], and it is asked again at growing intervals of up to 30
// seconds. Its keys are fetched again every hour, and when a token has a key that is not known, but never more often than every five
// seconds, so that a flood of forged tokens does not become a flood of requests. Keys that could not be fetched again for a day are no longer trusted.
//
// # Where to find what
//
//   - settings: config.go; the steps of a check: authenticator.go; owner and scopes: claims.go
//   - keys: keyset.go; when they are fetched: keysource.go; discovery and requests to the provider: fetcher.go, client.go
package oidc
