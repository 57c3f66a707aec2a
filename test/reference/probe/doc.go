// Package probe performs the scripted hooks and tools of test vectors. A probe is a middleware that is described as
// data. The package knows the documents of the ABI but nothing about a host, so the same code runs as native
// middleware and inside a Wasm plugin. It uses no reflection and builds with TinyGo.
package probe
