package plugin

import (
	"syscall"
	"time"
)

// rlimitData is RLIMIT_DATA, which limits a process's writable memory; package syscall does not define it on every
// platform.
const rlimitData = 2

// patience is how many times its processor time compiling may take in all. The system limits the processor time itself, so this only ends a
// process that waits for ever.
const patience = 10

// limitProcess limits the memory and processor time of the process: the system kills it when its time is used up.
func limitProcess(memory uint64, processor time.Duration) error {
	if err := lower(rlimitData, memory); err != nil {
		return err
	}
	return lower(syscall.RLIMIT_CPU, uint64((processor+time.Second-1)/time.Second))
}

// lower sets a limit, unless a lower one is already set.
func lower(resource int, limit uint64) error {
	var present syscall.Rlimit
	if err := syscall.Getrlimit(resource, &present); err != nil {
		return err
	}
	limit = min(limit, present.Max)
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit})
}
