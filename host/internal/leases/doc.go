// Package leases keeps the leases that a process has taken from a store. A store that several processes share lends a thread to
// a run for a limited time. One [Renewer] extends all leases of a store together, so that their number does not matter to the
// database, and tells each holder when its lease is lost.
//
//   - a lease, as its holder sees it: lease.go
//   - when leases are renewed: renewer.go; what an attempt does to them: attempt.go
package leases
