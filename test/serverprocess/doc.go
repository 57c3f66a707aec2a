// Package serverprocess runs a server of agents in a process of its own for tests, so that a test can measure what the server alone uses, and
// what it writes to its log.
//
// The process is the test binary itself: the package's TestMain calls [Main]. The agent calls a tool or writes as much as the last message asks
// for (agent.go). The test talks to the process by its standard input and output (control.go).
package serverprocess
