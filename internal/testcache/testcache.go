// Package testcache lets test binaries share the compiled code of guests.
package testcache

import "os"

// Dir returns the directory that the variable AGENTHOST_TEST_CACHE names, for the Dir of a plugin.EngineConfig. All test binaries then share
// compiled guests, of which the engine for Python alone takes a minute to compile. Each binary checks and meters the modules itself.
// "" without the variable: each binary compiles what it needs.
func Dir() string { return os.Getenv("AGENTHOST_TEST_CACHE") }
