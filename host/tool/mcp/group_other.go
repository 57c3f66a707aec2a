//go:build !unix

package mcp

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// terminate kills the process, because these systems have no signal that asks it to end.
func terminate(p *os.Process) error { return p.Kill() }

// kill kills the process, but not its children.
func kill(p *os.Process) error { return p.Kill() }
