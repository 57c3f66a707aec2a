// Package semantic adds an index to a store, so that entries can be found by what their values mean. It works like the index of
// LangGraph's stores: a write embeds fields of the value, and a search compares the query with them by cosine similarity.
//
// The vectors are kept in the store, with the value and written together with it. They expire, and are deleted and replaced, as it is.
//
// # Where to find what
//
//   - the wrapper of a store: store.go; which texts of a value are embedded: path.go, text.go
//   - vectors as they are kept: vector.go; how a search goes: search.go; its filter: filter.go
package semantic
