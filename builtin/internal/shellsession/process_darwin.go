package shellsession

import "syscall"

// LimitsMemory says whether memory can be limited.
const LimitsMemory = false

// marksProcesses says whether processes are found by the session's variable.
const marksProcesses = false

// noReap is WNOWAIT.
const noReap = 0x20

// attributes puts the process into a session of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// killStrays does nothing: nothing tells which processes were the session's.
func killStrays(int, string) {}
