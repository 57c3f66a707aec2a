package plugin

import (
	"syscall"
	"time"
)

// rlimitData is RLIMIT_DATA, which package syscall does not name everywhere: the memory that a process can write to.
const rlimitData = 2

// limitProcess limits the memory of the process, and its processor time: it is killed when that is over.
func limitProcess(memory uint64, processor time.Duration) error {
	if err := lower(rlimitData, memory); err != nil {
		return err
	}
	return lower(syscall.RLIMIT_CPU, uint64((processor+time.Second-1)/time.Second))
}

// lower sets a limit, unless there is a lower one.
func lower(resource int, limit uint64) error {
	var present syscall.Rlimit
	if err := syscall.Getrlimit(resource, &present); err != nil {
		return err
	}
	limit = min(limit, present.Max)
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: limit, Max: limit})
}
