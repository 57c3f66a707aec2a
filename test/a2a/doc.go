// Package a2a holds tests in which the official clients of the A2A protocol, unchanged, use the server's door for other agents: those for Python and
// JavaScript, which make servers installs, and that of the library for Go. With A2A_TCK, the conformance suite of the protocol is run too: see
// tck_test.go.
package a2a
