// Package toolchaintest skips tests that run compilers where these are missing.
package toolchaintest

import (
	"os"
	"testing"
)

// Variable is the environment variable that declares that TinyGo with its clang, and Rust with the target
// wasm32-unknown-unknown, are installed. If it is set, tests that need them run, and fail if one is missing.
const Variable = "AGENTHOST_COMPILERS"

// Need skips a test that compiles plugins, unless [Variable] is set: it takes minutes, and needs tools that
// a Go user may not have.
func Need(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) == "" {
		t.Skip("this test runs TinyGo and Rust: set " + Variable + "=1, or run make compilers")
	}
}

// Absent skips a test whose tool is missing. If [Variable] is set, the test fails.
func Absent(t testing.TB, tool string) {
	t.Helper()
	if os.Getenv(Variable) != "" {
		t.Fatal(tool + " is missing; install it, or unset " + Variable)
	}
	t.Skip(tool + " is not installed")
}
