// Package auth says who sends a request to a server of agents, and what they may do.
//
// An [Authenticator] finds the [Principal] of a request. A principal has an owner, to whom everything that the request makes belongs, and
// scopes. There are these authenticators:
//
//   - [Keys] compares a key with hashes
//   - package oidc checks tokens of an OpenID Connect provider, or of any issuer that publishes its keys
//   - [Header] believes what a proxy says
//   - [Anonymous] lets everybody in as the owner ""; a server has it only if its operator says so
//   - [First] combines several
//
// # Failing closed
//
// A request without a credential, with two, or with one that cannot be checked gets no principal. A principal without scopes may do
// nothing. What is written wrong in a configuration is an error, and not a weaker rule.
//
// # Owners
//
// Two authenticators that name the same owner mean the same person. Take the owner of a token from a claim that people cannot change
// themselves, such as sub.
//
// # Where to find what
//
//   - who sends a request, and what they may do: principal.go, scope.go; what the errors mean for a client: error.go
//   - where a credential is in a request: credential.go
//   - the authenticators: keys.go, header.go, anonymous.go, first.go, and package oidc
package auth
