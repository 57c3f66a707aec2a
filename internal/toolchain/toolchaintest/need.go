// Package toolchaintest is for tests that run compilers.
package toolchaintest

import (
	"os"
	"testing"
)

// Variable is the environment variable by which somebody says that TinyGo with its clang, and a Rust with the target
// wasm32-unknown-unknown, are there: then tests that need them run, and fail without.
const Variable = "AGENTHOST_COMPILERS"

// Need skips a test that compiles plugins, unless [Variable] is set: it takes minutes, and tools that a user of Go need not have.
func Need(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) == "" {
		t.Skip("this test runs TinyGo and Rust: set " + Variable + "=1, or run make compilers")
	}
}

// Absent skips a test that lacks a tool, unless [Variable] says that all are there: then it fails.
func Absent(t testing.TB, tool string) {
	t.Helper()
	if os.Getenv(Variable) != "" {
		t.Fatal("there is no " + tool)
	}
	t.Skip("there is no " + tool + " here")
}
