//go:build !unix

package processgroup

import (
	"os/exec"
	"syscall"
)

// These systems have no groups, and no signal that asks a program to end.

func attributes(syscall.Signal) *syscall.SysProcAttr { return nil }

func terminate(cmd *exec.Cmd) { kill(cmd) }

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // an error means that it has ended

func killGroup(int) {}
