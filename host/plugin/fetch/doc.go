// Package fetch is the HTTP client behind the capability http.fetch. A guest that nobody trusts says what to request; the
// operator's [Policy] says where that may go. Nothing of net/http's defaults is in use: no proxy of the environment, no
// cookies, no redirects that nobody looked at, no decompression, no connection that another client shares.
//
// A request passes these gates, and each redirect passes them again:
//
//  1. The URL is read once, and written anew from what was read: what is checked is what is sent. Spellings that
//     programs read differently are refused: user and password, backslashes, control characters, numbers that some
//     resolvers take for an address, letters beyond ASCII in a host.
//  2. Scheme, host and port are on the list, the method is, and every secret in a header is granted to that host.
//  3. The address that is dialled is a public one, or in a network that the operator granted. The socket is checked, not
//     an earlier look-up, so a name that changes its address in between gains nothing.
//  4. Sizes, the number of redirects and the time of the whole exchange are bounded.
//
// # Secrets
//
// A guest writes ${secret:NAME} in the value of a header and never sees what stands there instead. In responses the
// values of all secrets are replaced by ***, as they are and in base64, hex, JSON and URL encoding. That catches what is echoed
// by accident. A granted host that wants to tell the guest can always do it: in another encoding, in pieces, one bit
// at a time. So a secret is granted only to hosts that may know it anyway, and a host that shows what others sent it
// (an echo service, a public bucket) should be granted none.
//
// # What it does not do
//
// HTTP/2 and up, proxies, client certificates, a public-suffix list, a limit of requests in time. An address that the
// network itself routes inward, such as the host's own public address, is a public one.
package fetch
