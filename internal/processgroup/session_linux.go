package processgroup

import "syscall"

// attributes puts the program into a session of its own, and sends it a signal when its parent dies.
func attributes(orphaned syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: orphaned}
}
