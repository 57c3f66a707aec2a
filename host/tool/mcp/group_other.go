//go:build !unix

package mcp

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// terminate ends the process: there is no signal that asks.
func terminate(p *os.Process) error { return p.Kill() }

// kill ends the process. What it has started lives on.
func kill(p *os.Process) error { return p.Kill() }
