// Package hosts is a suite for hosts of plugins: agents with guests, in plain data, and what must come of their runs.
//
// [Cases] returns the cases, which stand in the directory cases: a file of JSON for each, and the modules of its plugins
// beside it. README.md says what a case holds, and how a host that is not written in Go performs it. A host in Go builds
// what the case describes, makes an [Outcome] of what happens, and lets [Compare] tell how that differs from what is
// expected; this package's tests do so with the host of this repository.
package hosts
