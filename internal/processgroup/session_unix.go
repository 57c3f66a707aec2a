//go:build unix && !linux

package processgroup

import "syscall"

// attributes puts the program into a session of its own.
func attributes(syscall.Signal) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
