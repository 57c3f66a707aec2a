//go:build unix

package mcp

import (
	"os"
	"syscall"
)

// ownGroup puts a command into its own process group: Ctrl-C at the terminal does not reach it, and its children can be
// signalled.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the group to end.
func terminate(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

// kill kills the group, which exists as long as any child does, even after the process itself has ended.
func kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
