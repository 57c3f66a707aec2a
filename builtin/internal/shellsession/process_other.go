//go:build !linux && !darwin

package shellsession

import "os"

// Supported reports whether this operating system has sessions.
const Supported = false

// LimitsMemory reports whether memory can be limited.
const LimitsMemory = false

// process never starts.
type process struct{ exited chan struct{} }

func startProcess(*Config, [1 + streams]*os.File) (*process, error) { return nil, ErrUnsupported }

func (*process) terminate() {}

func (*process) kill() {}

func (*process) exitCode() int { return -1 }
