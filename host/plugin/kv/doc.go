// Package kv is the store behind the capability kv: what a plugin keeps for a run, for a thread, or for itself. It defines
// the interface that serves guests, and [In], which keeps all entries in a store of the host: see package store. kvtest
// checks the behavior that every such store must have.
//
// A store consists of namespaces. The host decides by a struct which one a call means: nothing that a guest writes becomes
// part of a name, so no key reaches into another plugin's store, another thread's, or another scope's. Each namespace has
// its own quota. A guest cannot make runs or threads, so it cannot make namespaces.
//
// Each entry has a version that no other entry of its namespace has or had. An unchanged version means that nobody has
// written the entry since, or deleted it and written it again. Versions depend only on the writes in their namespace, so
// that a replayed run sees the same ones, and no plugin learns what others do.
package kv
