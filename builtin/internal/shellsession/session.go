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

// Config is a session that is to be started.
type Config struct {
	Command []string // the shell with its arguments, and what stands before it
	Dir     string   // where it begins
	Env     []string // its whole environment, as NAME=value
	Limits  Limits   // of what is kept of a command's output

	CPUSeconds  int64 // of each process; 0: no limit
	MemoryBytes int64 // of address space of each process; 0: no limit. Only where [LimitsMemory].

	StartTimeout time.Duration // in which the shell must answer
	StopTimeout  time.Duration // in which it must end when it is asked to
	Polite       bool          // it is asked to end (SIGTERM) before it is killed, also when a command has no more time
}

var (
	// ErrTimeout is a command that had no more time. It has ended the session.
	ErrTimeout = errors.New("the command timed out")
	// ErrNUL is a command with a character that no shell can read. It did not run.
	ErrNUL = errors.New("the command contains a NUL character")
	// ErrUnsupported is an operating system on which there are no sessions.
	ErrUnsupported = errors.New("shell sessions run on Linux and macOS only")
)

// What is not in the shell's hands goes on for so long at most.
const (
	drainTime = time.Second      // reading from pipes that a process keeps open which has left the shell's group
	killTime  = 10 * time.Second // waiting for a killed process, which the kernel may hold
)

// Session is a shell that runs. Run and Close are called one after the other.
type Session struct {
	config  Config
	process *process
	stdin   *os.File
	over    chan struct{} // closed when the shell has ended and all that it wrote was read

	mu      sync.Mutex
	capture *capture // of the command that runs; nil: what comes is dropped
	killed  bool
}

// Start starts a session. Its life is not bound to ctx.
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

// spawn starts the process and what reads its pipes.
func (s *Session) spawn() error {
	var inside, outside [1 + streams]*os.File // stdin, stdout, stderr: the ends of the shell and ours
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
		<-s.process.exited
		within(drainTime, read)
		closeAll(outside[:])
		<-read
		close(s.over)
	}()
	return nil
}

// read reads all that comes, so that no process waits for a reader.
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

// Run runs a command and returns what it wrote, from when it began until it ended; what its children write in the background
// counts in that time too. If the command has no more time, the session is ended, and the error is [ErrTimeout]. If ctx ends,
// so does the session, and the error is that of ctx.
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

// do is Run, with lines for the shell before the command. It returns a result beside an error too.
func (s *Session) do(ctx context.Context, before, command string, timeout time.Duration) (*Result, error) {
	inTime, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	marker := newSecret()
	c := newCapture(marker, s.config.Limits)
	s.expect(c)
	defer s.expect(nil)
	var writing sync.WaitGroup
	writing.Go(func() { _, _ = s.stdin.WriteString(before + line(command, marker)) }) // an error is a shell that has ended
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

// expect says for which command what comes is.
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
	case <-s.process.exited:
		return false
	default:
		return !killed
	}
}

// Close ends the session: the shell ends by itself, or is killed if it does not, and all that it has left behind with it.
func (s *Session) Close() {
	_ = s.stdin.Close()
	if !within(s.config.StopTimeout, s.over) {
		s.kill()
	}
}

// kill ends the session at once, or, where it is polite, after it has asked for that.
func (s *Session) kill() {
	s.mu.Lock()
	s.killed = true
	s.mu.Unlock()
	_ = s.stdin.Close()
	if s.config.Polite {
		s.process.terminate()
		within(s.config.StopTimeout, s.process.exited)
	}
	s.process.kill()
	within(killTime, s.over)
}

// within waits for the end of something, for some time.
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
