//go:build unix

package processgroup

import (
	"os/exec"
	"syscall"
)

// Errors of signals mean that the group is gone.

func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func kill(cmd *exec.Cmd) { killGroup(cmd.Process.Pid) }

// killGroup kills a group, which exists as long as any member does, even after the leader has ended.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
