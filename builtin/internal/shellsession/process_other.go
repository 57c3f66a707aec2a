//go:build !linux && !darwin

package shellsession

import "os"

// Supported says whether there are sessions on this operating system.
const Supported = false

// LimitsMemory says whether memory can be limited.
const LimitsMemory = false

// process is never started.
type process struct{ exited chan struct{} }

func startProcess(*Config, [1 + streams]*os.File) (*process, error) { return nil, ErrUnsupported }

func (*process) terminate() {}

func (*process) kill() {}

func (*process) exitCode() int { return -1 }
