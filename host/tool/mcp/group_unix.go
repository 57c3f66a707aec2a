//go:build unix

package mcp

import (
	"os"
	"syscall"
)

// ownGroup puts a command into a process group of its own: a Ctrl-C at the terminal is not for it, and its children can be
// reached.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the group to end.
func terminate(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

// kill ends the group. That of a process that has ended exists as long as a child of it does.
func kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
