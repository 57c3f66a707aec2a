package shellsession

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Config describes a session.
type Config struct {
	Command []string // the shell with its arguments, after the command that starts it
	Dir     string   // the directory in which it starts
	Env     []string // the whole environment, as NAME=value
	Limits  Limits   // of a command's output

	CPUSeconds  int64 // processor time of each process; 0 means no limit
	MemoryBytes int64 // address space of each process; 0 means no limit; only if [LimitsMemory]

	StartTimeout time.Duration // the time for the shell to answer
	StopTimeout  time.Duration // the time for the shell to end when it is asked to
	Polite       bool          // ask the shell to end (SIGTERM) before killing it, also after a command's timeout
}

var (
	// ErrTimeout is a command that ran out of time. It has ended the session.
	ErrTimeout = errors.New("the command timed out")
	// ErrNUL is a command with a NUL character, which no shell can read. It did not run.
	ErrNUL = errors.New("the command contains a NUL character")
	// ErrUnsupported is an operating system without sessions.
	ErrUnsupported = errors.New("shell sessions run on Linux and macOS only")
)

// These times bound what the shell does not control.
const (
	drainTime = time.Second      // reading from pipes that a process outside of the shell's group keeps open
	killTime  = 10 * time.Second // waiting for a killed process, which the kernel may hold
)

// Session is a running shell. Run and Close must not be called concurrently.
type Session struct {
	config  Config
	process *process
	stdin   *os.File
	over    chan struct{} // closed when the shell has ended and all its output was read

	mu      sync.Mutex
	capture *capture // of the running command; nil drops output
	killed  bool
}

// Start starts a session. The session outlives ctx.
func Start(ctx context.Context, config Config) (*Session, error) {
	s := &Session{config: config, over: make(chan struct{})}
	if err := s.spawn(); err != nil {
		return nil, fmt.Errorf("the shell %q cannot be started: %w", config.Command[0], err)
	}
	result, err := s.do(ctx, prelude, ":", config.StartTimeout)
	switch {
	case err == nil && !result.Ended && result.ExitCode == 0:
		return s, nil
	case err == nil:
		err = fmt.Errorf("the shell %q ended with exit code %d before it answered%s; it must be a POSIX shell that reads its commands "+
			"from stdin", config.Command[0], result.ExitCode, said(result))
	case errors.Is(err, ErrTimeout):
		err = fmt.Errorf("the shell %q did not answer within %v%s; it must be a POSIX shell that reads its commands from stdin and has "+
			"stdout and stderr apart, without a terminal", config.Command[0], config.StartTimeout, said(result))
	}
	s.kill()
	return nil, err
}

func said(result *Result) string {
	if text := strings.TrimSpace(result.Output); text != "" {
		return " and wrote " + text
	}
	return ""
}

// spawn starts the process and the readers of its pipes.
func (s *Session) spawn() error {
	var inside, outside [1 + streams]*os.File // stdin, stdout, stderr: the shell's ends and ours
	closeAll := func(files []*os.File) {
		for _, f := range files {
			if f != nil {
				_ = f.Close()
			}
		}
	}
	for i := range inside {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(inside[:])
			closeAll(outside[:])
			return err
		}
		if inside[i], outside[i] = w, r; i == 0 {
			inside[i], outside[i] = r, w
		}
	}
	var err error
	s.process, err = startProcess(&s.config, inside)
	closeAll(inside[:])
	if err != nil {
		closeAll(outside[:])
		return err
	}
	s.stdin = outside[0]
	var readers sync.WaitGroup
	for i, pipe := range outside[1:] {
		readers.Go(func() { s.read(i, pipe) })
	}
	read := make(chan struct{})
	go func() {
		readers.Wait()
		close(read)
	}()
	go func() {
		<-s.process.Exited()
		within(drainTime, read)
		closeAll(outside[:])
		<-read
		close(s.over)
	}()
	return nil
}

// read reads all output, so that no process waits for a reader.
func (s *Session) read(stream int, pipe *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := pipe.Read(buf)
		s.mu.Lock()
		if n > 0 && s.capture != nil {
			s.capture.receive(stream, buf[:n])
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Run runs a command and returns its output from its start to its end; output of background processes in that time counts
// too. If the command runs out of time, the session ends and the error is [ErrTimeout]. If ctx ends, the session ends and
// the error is that of ctx.
func (s *Session) Run(ctx context.Context, command string, timeout time.Duration) (*Result, error) {
	if strings.ContainsRune(command, 0) {
		return nil, ErrNUL
	}
	result, err := s.do(ctx, "", command, timeout)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// do runs a command after other lines. It may return a result together with an error.
func (s *Session) do(ctx context.Context, before, command string, timeout time.Duration) (*Result, error) {
	inTime, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	marker := newSecret()
	c := newCapture(marker, s.config.Limits)
	s.expect(c)
	defer s.expect(nil)
	var writing sync.WaitGroup
	writing.Go(func() { _, _ = s.stdin.WriteString(before + line(command, marker)) }) // an error means that the shell has ended
	defer writing.Wait()
	var err error
	select {
	case <-c.done:
	case <-s.over:
	case <-inTime.Done():
		s.kill()
		err = cmp.Or(ctx.Err(), ErrTimeout)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.flush()
	result := c.result()
	if result.ExitCode = c.exitCode(); !c.complete() {
		result.Ended, result.ExitCode = true, s.process.exitCode()
	}
	return result, err
}

// expect sets the capture for further output.
func (s *Session) expect(c *capture) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capture = c
}

// Alive reports whether the session can run commands.
func (s *Session) Alive() bool {
	s.mu.Lock()
	killed := s.killed
	s.mu.Unlock()
	select {
	case <-s.process.Exited():
		return false
	default:
		return !killed
	}
}

// Close ends the session and everything that it has left behind. A shell that does not end by itself is killed.
func (s *Session) Close() {
	_ = s.stdin.Close()
	if !within(s.config.StopTimeout, s.over) {
		s.kill()
	}
}

// kill ends the session at once, or after asking the shell if it is polite.
func (s *Session) kill() {
	s.mu.Lock()
	s.killed = true
	s.mu.Unlock()
	_ = s.stdin.Close()
	if s.config.Polite {
		s.process.Terminate()
		within(s.config.StopTimeout, s.process.Exited())
	}
	s.process.Kill()
	within(killTime, s.over)
}

// within waits for a channel to be closed, for a limited time.
func within(d time.Duration, end <-chan struct{}) bool {
	ctx, stop := context.WithTimeout(context.Background(), d)
	defer stop()
	select {
	case <-end:
		return true
	case <-ctx.Done():
		return false
	}
}
