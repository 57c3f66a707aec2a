package processgroup

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
)

// marksProcesses reports whether the variable identifies the processes of a program.
const marksProcesses = true

// maxRounds is how often strays are searched: a stray may start another one just before it is killed.
const maxRounds = 5

// killStrays kills processes that have left the group of a program: processes of its session with groups of their own (set
// -m), and processes with its mark in sessions of their own (setsid, daemons).
func killStrays(session int, mark string) {
	for range maxRounds {
		entries, err := os.ReadDir("/proc")
		if err != nil {
			return
		}
		found := false
		for _, entry := range entries {
			if pid, err := strconv.Atoi(entry.Name()); err == nil && pid != session && pid != os.Getpid() {
				found = killStray(pid, session, mark) || found
			}
		}
		if !found {
			return
		}
	}
}

// killStray kills a process if it is a stray. It holds the process before it looks at it, because ids are reused.
func killStray(pid, session int, mark string) bool {
	held, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = held.Release() }()
	dir := "/proc/" + strconv.Itoa(pid)
	if !inSession(dir, session) && !hasVariable(dir, mark) {
		return false
	}
	return held.Signal(syscall.SIGKILL) == nil
}

// inSession reports whether a living process belongs to a session.
func inSession(dir string, session int) bool {
	stat, err := os.ReadFile(dir + "/stat") //nolint:forbidigo // the kernel's file
	if err != nil {
		return false
	}
	// pid (name) state parent group session …; the name may be anything
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 3 && string(fields[0]) != "Z" && string(fields[3]) == strconv.Itoa(session)
}

// hasVariable reports whether a process was started with a variable. It cannot see processes of other users.
func hasVariable(dir, variable string) bool {
	environment, err := os.ReadFile(dir + "/environ") //nolint:forbidigo // the kernel's file
	return err == nil && slices.ContainsFunc(bytes.Split(environment, []byte{0}), func(v []byte) bool { return string(v) == variable })
}
