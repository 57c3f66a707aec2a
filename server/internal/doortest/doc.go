// Package doortest has what the tests of all doors share: a server on this machine, its keys, and a tool that waits.
package doortest
