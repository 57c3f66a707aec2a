// Package clients holds tests in which clients that others wrote use a started `agenthost serve` as their users would: LangGraph's SDKs for Python
// and JavaScript, RemoteGraph, and useStream of two packages in a page of React. make servers installs them. The scripts are in testdata; each prints
// a line for what it has shown, and fails with a stack trace.
package clients
