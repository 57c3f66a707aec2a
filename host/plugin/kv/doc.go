// Package kv keeps the entries that plugins store through the capability kv: for a run, for a thread, or for the plugin
// itself. A [Store] puts the entries of an agent's plugins into a store of the host. It adds two things to a [store.Store]: it
// knows which namespace belongs to which plugin, and it applies limits even if the operator sets none.
//
// The host, not the guest, decides which namespace a call means. A guest writes only keys, and a key is never part of a
// namespace's path. So no key reaches into another plugin's namespace, another thread's, or another scope's. Each namespace
// has its own quota. A guest cannot make runs or threads, so it cannot make namespaces.
//
// The first write in a namespace gets the version 1, and each later one the next version. Versions depend only on the writes
// in their namespace, so that a replayed run sees the same ones, and no plugin learns what others do.
package kv
