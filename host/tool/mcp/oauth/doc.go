// Package oauth logs a user in to remote MCP servers, and keeps the tokens.
//
// [Client.Login] finds the authorization server of an MCP server (RFC 9728, RFC 8414 or OpenID Connect Discovery), registers a client if
// none is configured (RFC 7591), and gets tokens by an authorization code with PKCE on a loopback address (RFC 8252), or by
// [Client.LoginDevice] with a code that the user types on another device (RFC 8628). A [Store] keeps them. [Source] gives the access token
// to the connection of package mcp, and renews it before it expires or after the server refused it. Of all processes of a user, one
// renews a token at a time.
//
// The package trusts neither the MCP server nor what it points to:
//
//   - Everything is HTTPS. HTTP, and a server on this machine, is only used if the MCP server itself is on this machine.
//   - The metadata of the MCP server must come from its own origin and be about its own URL. The metadata of the authorization server
//     must be about the issuer that was asked for, and offer PKCE with S256.
//   - The answer to the login must have the state of this login and, if the authorization server supports that, its issuer (RFC 9207).
//   - A token is asked for this MCP server (RFC 8707), kept under its URL, and sent nowhere else. It is renewed only where it was issued.
//   - Responses are bounded. Requests that carry secrets follow no redirects, and errors do not show secrets.
//
// # Where to find what
//
//   - the steps of a login: login.go, callback.go, device.go; what it finds out first: discover.go, register.go
//   - requests: http.go, and those for tokens: token.go; what is kept: entry.go, store.go, lock_unix.go; renewal: source.go
package oauth
