//go:build !linux && !darwin

package shellsession

import "os"

// Supported reports whether this operating system has sessions.
const Supported = false

// LimitsMemory reports whether memory can be limited.
const LimitsMemory = false

// process never starts.
type process struct{}

func startProcess(*Config, [1 + streams]*os.File) (*process, error) { return nil, ErrUnsupported }

// Exited returns nil.
func (*process) Exited() <-chan struct{} { return nil }

// Terminate does nothing.
func (*process) Terminate() {}

// Kill does nothing.
func (*process) Kill() {}

func (*process) exitCode() int { return -1 }
