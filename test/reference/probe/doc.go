// Package probe performs the scripted hooks and tools of test vectors: what a middleware described by data does. It
// knows the documents of the ABI and nothing of a host, so that the same code runs as a native middleware and inside a
// Wasm plugin. It uses no reflection and builds with TinyGo.
package probe
