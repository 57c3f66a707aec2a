//go:build tools

// Package tools pins the TinyGo version that toolchain/tinygo.sh builds: go.mod names it, go.sum
// its contents. It is a module of its own, so that TinyGo's dependencies stay out of agenthost's.
package tools

import _ "github.com/tinygo-org/tinygo"
