// Package fetch is the HTTP client that implements the capability http.fetch. An untrusted guest says what to request; the
// operator's [Policy] says where requests may go. None of net/http's defaults are in use: no proxy from the environment, no
// cookies, no unchecked redirects, no decompression, and no connection shared with another client.
//
// A request passes these gates, and each redirect passes them again:
//
//  1. The URL is parsed once, and rebuilt from the result, so that what is checked is what is sent. Spellings that
//     programs parse differently are refused: user and password, backslashes, control characters, numbers that some
//     resolvers take for an address, letters beyond ASCII in a host.
//  2. Scheme, host and port are on the list, the method is allowed, and every secret in a header is granted to that host.
//  3. The dialed address is public, or in a network that the operator granted. The socket is checked, not an earlier
//     lookup, so a name that changes its address in between gains nothing.
//  4. Sizes, the number of redirects and the time of the whole exchange are bounded.
//
// # Secrets
//
// A guest writes ${secret:NAME} in the value of a header and never sees the value that replaces it. In responses the values
// of all secrets are replaced by ***, both plain and in base64, hex, JSON and URL encoding. That catches accidental echoes.
// A granted host that wants to reveal a secret to the guest can always do so: in another encoding, in pieces, one bit at a
// time. So grant a secret only to hosts that may know it anyway, and grant none to a host that shows what others sent it
// (an echo service, a public bucket).
//
// # What it does not do
//
// It does not support HTTP/2 and later, proxies, client certificates, a public-suffix list, or rate limits. An address that
// the network itself routes inward, such as the host's own public address, counts as public.
//
// # Where to find what
//
//   - how a URL is parsed: target.go, origin.go; which hosts and methods are allowed: policy.go, pattern.go
//   - which addresses are public: internal/publicnet; redirects: redirect.go; headers that a guest may not set: header.go
//   - secrets: secret.go; sizes and times: policy.go, exchange.go; the client: client.go; kinds of errors: error.go
package fetch
