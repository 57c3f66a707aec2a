// Package store keeps values beyond threads: what an agent remembers of a user, a cache that several processes share, what
// plugins keep for themselves. It has the interface of stores, what all of them check, and functions that read and write
// values of Go types. Package memory has a store that lives as long as the process; the databases of checkpoint/sqlite and
// checkpoint/postgres have one in their Values. storetest holds what every store must do.
//
// A store is a tree of namespaces. A [Namespace] is a path, such as {"users", "42"}, and holds entries: a key with a value.
// It comes into being with its first entry. Namespaces have nothing in common but that [Store.Drop] and [Store.Namespaces]
// mean a path with all those that begin with it.
//
// An entry has a version, which no other entry of its namespace has or had: a version that is still the same says that nobody
// wrote the entry since, also if it was deleted, or expired, and was written again. Only dropping a namespace makes its
// versions begin anew.
//
// An entry that was written with a TTL expires when that time is over by the clock of the store. From then on it is absent in
// every respect; the room that it takes is freed by later writes.
package store
