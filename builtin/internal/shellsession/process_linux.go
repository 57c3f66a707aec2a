package shellsession

import "syscall"

// LimitsMemory reports whether memory can be limited.
const LimitsMemory = true

// marksProcesses reports whether the session's variable identifies its processes.
const marksProcesses = true

// noReap is WNOWAIT.
const noReap = 0x01000000

// attributes puts the process into a session of its own and ends it with its parent.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
