// Package store keeps values beyond threads: an agent's memories of a user, a cache that several processes share, or a
// plugin's own data. It defines the interface of stores, the checks common to all of them, and functions to read and write
// values of Go types. Package memory has a store that lives as long as the process; the databases of checkpoint/sqlite and
// checkpoint/postgres have one in their Values. Package storetest has the tests that every store must pass.
//
// A store is a tree of namespaces. A [Namespace] is a path, such as {"users", "42"}, and holds entries: keys with values. Its
// first entry creates it. Namespaces are independent, except that [Store.Drop] and [Store.Namespaces] apply to a path and
// everything under it.
//
// An entry has a version, which no other entry of its namespace has or had. An unchanged version therefore means that nobody
// has written the entry since, not even after a deletion or its expiry. Only dropping a namespace restarts its versions.
//
// An entry written with a TTL expires after that time by the store's clock. From then on it is absent in every respect; later
// writes free its space.
//
// # Where to find what
//
//   - which namespaces, keys and values are allowed: check.go, namespace.go; how much a namespace may hold: quota.go
//   - what a store must do: store.go, and package storetest; pages and their sizes: store.go (PageLimit)
//   - typed values: value.go; the clock: option.go
//   - searches: search.go; a store that can search by meaning: package semantic
//   - stores: package memory; in databases: package host/internal/sqlstore, values.go
package store
