package mcp_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the tests or, in a process that a test started as a server, the server.
func TestMain(m *testing.M) {
	if kind := os.Getenv(serverVariable); kind != "" {
		serveKind(kind)
		return
	}
	goleak.VerifyTestMain(m)
}
