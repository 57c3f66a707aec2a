package shellsession

import "syscall"

// LimitsMemory reports whether memory can be limited.
const LimitsMemory = false

// marksProcesses reports whether the session's variable identifies its processes.
const marksProcesses = false

// noReap is WNOWAIT.
const noReap = 0x20

// attributes puts the process into a session of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// killStrays does nothing: nothing identifies the processes of a session.
func killStrays(int, string) {}
