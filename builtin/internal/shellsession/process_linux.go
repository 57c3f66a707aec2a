package shellsession

import "syscall"

// LimitsMemory says whether memory can be limited.
const LimitsMemory = true

// marksProcesses says whether processes are found by the session's variable.
const marksProcesses = true

// noReap is WNOWAIT.
const noReap = 0x01000000

// attributes puts the process into a session of its own, and lets it end with its parent.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
