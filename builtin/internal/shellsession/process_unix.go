//go:build linux || darwin

package shellsession

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

// Supported reports whether this operating system has sessions.
const Supported = true

// process is the shell's process, the leader of its group.
type process struct {
	cmd    *exec.Cmd
	secret string        // in the environment of the shell and its children
	exited chan struct{} // closed when the process has ended and its group is killed

	mu     sync.Mutex
	reaped bool // another process may have its id
}

func startProcess(config *Config, files [1 + streams]*os.File) (*process, error) {
	p := &process{secret: newSecret(), exited: make(chan struct{})}
	argv := limited(config)
	p.cmd = exec.CommandContext(context.Background(), argv[0], argv[1:]...) //nolint:gosec // running a configured command is the purpose
	p.cmd.Dir, p.cmd.Env = config.Dir, append([]string{}, config.Env...)
	if marksProcesses {
		p.cmd.Env = append(p.cmd.Env, sessionVariable+"="+p.secret)
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = files[0], files[1], files[2]
	p.cmd.SysProcAttr = attributes()
	started := make(chan error)
	go p.keep(started)
	return p, <-started
}

// limited returns a command that sets the limits and then starts the shell. So the limits apply from the first command on.
// They are hard limits, which only root can raise.
func limited(config *Config) []string {
	var script strings.Builder
	var args []string
	for _, limit := range []struct {
		flag  string
		value int64
	}{
		{"-t", config.CPUSeconds}, {"-v", (config.MemoryBytes + 1023) / 1024},
	} {
		if limit.value > 0 {
			script.WriteString("ulimit " + limit.flag + ` "$1" && shift && `)
			args = append(args, strconv.FormatInt(limit.value, 10))
		}
	}
	if script.Len() == 0 {
		return config.Command
	}
	argv := append([]string{"/bin/sh", "-c", script.String() + `exec "$@"`, "sh"}, args...)
	return append(argv, config.Command...)
}

// keep starts the process, waits for its end, kills the rest of its group and reaps it. It keeps one thread: on Linux the
// process ends with its parent, which is the thread that started it.
func (p *process) keep(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	defer close(p.exited)
	held := awaitEnd(p.cmd.Process.Pid)
	if !held {
		_ = p.cmd.Wait()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signal(syscall.SIGKILL) // while the dead leader still holds its id
	killStrays(p.cmd.Process.Pid, p.secret)
	if held {
		_ = p.cmd.Wait() // the state says everything
	}
	p.reaped = true
}

// awaitEnd waits until a child has ended, and leaves it to be reaped. It returns false at once if the system does not
// support this.
func awaitEnd(pid int) bool {
	const (
		byID    = 1 // P_PID
		exited  = 4 // WEXITED
		infoLen = 128
	)
	var info [infoLen / 8]uint64 // a siginfo_t
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, byID, uintptr(pid), uintptr(unsafe.Pointer(&info)), exited|noReap, 0, 0)
		if !errors.Is(errno, syscall.EINTR) {
			return errno == 0
		}
	}
}

func (p *process) terminate() { p.signalAlive(syscall.SIGTERM) }

func (p *process) kill() { p.signalAlive(syscall.SIGKILL) }

func (p *process) signalAlive(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.signal(sig)
	}
}

// signal signals the group.
func (p *process) signal(sig syscall.Signal) {
	_ = syscall.Kill(-p.cmd.Process.Pid, sig) // an error means that the group is gone
}

// exitCode returns the status in the form of a shell; -1 if the process has not ended.
func (p *process) exitCode() int {
	select {
	case <-p.exited:
	default:
		return -1
	}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}
