// Package hosts is a test suite for hosts of plugins. It describes agents with guests, and the expected outcome of
// their runs, as plain data.
//
// [Cases] returns the cases. The directory cases has a JSON file for each, next to the modules of its plugins. README.md
// describes the content of a case, and explains how a host that is not written in Go performs it. A host in Go builds the
// agent that the case describes, records what happens in an [Outcome], and calls [Compare] to find differences from the
// expected outcome. The tests of this package do so with the host of this repository.
package hosts
