// Package processgroup runs a program so that it ends together with everything that it has started.
//
// The program is the leader of its own session and process group, without a terminal: Ctrl-C does not reach it. When it ends
// or is killed, the whole group is killed before the id of the program can be reused. On Linux, processes that have left the
// group are found by their session and by a variable in their environment, and the program gets a signal when this process
// dies. A process that hides from all of this survives; if that matters, use a container.
//
// Elsewhere less is possible: on other Unix systems only the group is killed, and on the rest only the program itself.
package processgroup

import (
	"crypto/rand"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// Variable is the environment variable that marks the processes of a program, on Linux.
const Variable = "AGENTHOST_SESSION"

// Process is a program that has been started. Its methods are safe for concurrent use.
type Process struct {
	cmd    *exec.Cmd
	mark   string        // in the environment of the program and its children
	exited chan struct{} // closed when the program has ended and its group is killed
	err    error         // how it ended; valid once exited is closed

	mu     sync.Mutex
	reaped bool // another process may have its id
}

// Start starts a command whose standard streams are files. It sets the command's SysProcAttr and adds [Variable] to its
// environment, which must be complete. On Linux, the program gets the signal orphaned when this process dies.
func Start(cmd *exec.Cmd, orphaned syscall.Signal) (*Process, error) {
	p := &Process{cmd: cmd, mark: Variable + "=" + rand.Text(), exited: make(chan struct{})}
	cmd.SysProcAttr = attributes(orphaned)
	if marksProcesses {
		cmd.Env = append(append([]string{}, cmd.Env...), p.mark)
	}
	started := make(chan error)
	go p.keep(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// keep starts the program, waits for its end, kills everything that it has left behind and reaps it. It keeps one thread: on
// Linux a program gets its signal when its parent dies, which is the thread that started it.
func (p *Process) keep(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	defer close(p.exited)
	pid := p.cmd.Process.Pid
	held := awaitEnd(pid)
	if !held {
		p.err = p.cmd.Wait()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	killGroup(pid) // while the dead leader still holds its id
	killStrays(pid, p.mark)
	if held {
		p.err = p.cmd.Wait()
	}
	p.reaped = true
}

// Exited is closed when the program has ended and everything else of it was killed.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Wait waits until Exited is closed, and returns how the program ended, as [exec.Cmd.Wait] does.
func (p *Process) Wait() error {
	<-p.exited
	return p.err
}

// Terminate asks the group to end, with SIGTERM. Systems without this signal kill the program.
func (p *Process) Terminate() { p.unlessReaped(terminate) }

// Kill kills the group. What has left it is killed when the program has ended.
func (p *Process) Kill() { p.unlessReaped(kill) }

func (p *Process) unlessReaped(signal func(cmd *exec.Cmd)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		signal(p.cmd)
	}
}
