// Package webhook tells addresses that clients gave how their runs ended.
//
// A delivery is one POST of a JSON document. It is repeated, with growing pauses, if the network or the server fails in a way that may
// pass. So a document can arrive twice; both times it has the same Webhook-Id.
//
// # Addresses
//
// A client says where a request goes, so the rules are those of http.fetch for plugins: the scheme is http or https, and the dialed
// address is public or in a network that the operator allows. The socket is checked, not an earlier lookup, so a name that changes its
// address in between gains nothing. There is no proxy, no redirect is followed, and what the server answers is not passed on.
// [Sender.Check] refuses early what can be recognized without a lookup, so that a client learns of it when it starts the run.
//
// # What it does not do
//
// Deliveries are not signed, and none is kept over a restart.
//
// # Where to find what
//
//   - settings and the client: sender.go; which addresses are refused: address.go
//   - a delivery and its repetitions: deliver.go, retry.go; errors: error.go
package webhook
