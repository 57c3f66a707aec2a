package plugin

import "syscall"

// rlimitData is RLIMIT_DATA, which package syscall does not name on every platform: what a process may write to.
const rlimitData = 2

// limitMemory limits the memory of the process.
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(rlimitData, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
