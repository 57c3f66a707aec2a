//go:build linux || darwin

package processgroup

import (
	"errors"
	"runtime"
	"syscall"
	"unsafe"
)

// awaitEnd waits until a child has ended, and leaves it to be reaped. It returns false at once if the system does not
// support this.
func awaitEnd(pid int) bool {
	const (
		byID    = 1 // P_PID
		exited  = 4 // WEXITED
		infoLen = 128
	)
	noReap := uintptr(0x01000000) // WNOWAIT
	if runtime.GOOS == "darwin" {
		noReap = 0x20
	}
	var info [infoLen / 8]uint64 // a siginfo_t
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, byID, uintptr(pid), uintptr(unsafe.Pointer(&info)), exited|noReap, 0, 0)
		if !errors.Is(errno, syscall.EINTR) {
			return errno == 0
		}
	}
}
