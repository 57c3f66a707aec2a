// Package kv is the store behind the capability kv: what a plugin keeps for a run, for a thread, or for itself. The
// package has the interface that guests are served by, and [In], which keeps all of it in a store of the host: see package
// store. kvtest holds what every store of plugins must do.
//
// A store is made of namespaces. Which one a call means is the host's decision, by a struct: nothing that a guest writes
// becomes part of a name, so no key reaches into another plugin's store, another thread's, or another scope's. Each
// namespace has a quota of its own. A guest cannot make runs or threads, so it cannot make namespaces.
//
// An entry has a version, which no other entry of its namespace has or had: a version that is still the same says that
// nobody wrote the entry since, also if it was deleted and written again. Versions follow from the writes of their
// namespace alone, so that a run that is replayed sees the same ones, and no plugin learns what others do.
package kv
