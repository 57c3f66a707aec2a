package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/internal/processgroup"
)

// passedOn lists the environment variables that a command inherits. Programs need them to find other programs and their own
// files. None of them holds a key.
var passedOn = []string{
	"APPDATA", "HOME", "HOMEDRIVE", "HOMEPATH", "LANG", "LC_ALL", "LC_CTYPE", "LOCALAPPDATA", "LOGNAME", "PATH", "PATHEXT",
	"PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SHELL", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TERM", "TMP", "TMPDIR", "TZ",
	"USER", "USERNAME", "USERPROFILE",
}

// environment returns the environment of a command.
func environment(more map[string]string) []string {
	var out []string
	for _, name := range passedOn {
		if _, given := more[name]; given {
			continue
		}
		if value, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+value)
		}
	}
	for name, value := range more {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// Program returns the absolute path of the command's program, as Connect would start it. The error says that it is missing or
// cannot be executed.
func (c *Config) Program() (string, error) {
	name := c.Command[0]
	if filepath.Base(name) != name && !filepath.IsAbs(name) { // the system resolves it in the command's directory
		dir, err := filepath.Abs(c.Dir) // a relative result could look like a name of PATH
		if err != nil {
			return "", err
		}
		name = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// A command gets patience to end after its input closes, and then insist to end after a signal.
const (
	patience = 2 * time.Second
	insist   = time.Second
)

// process is a running command.
type process struct {
	*processgroup.Process

	stdin, stdout, stderr *os.File // our ends

	heard  chan struct{} // closed when its standard error was read to the end
	ending sync.Once

	mu   sync.Mutex
	last []string // last lines of its standard error
}

// start starts the command and passes each line of its standard error to said.
func start(c *Config, said func(line string)) (_ *process, err error) {
	p := &process{heard: make(chan struct{})}
	cmd := exec.Command(c.Command[0], c.Command[1:]...) //nolint:gosec,noctx // the operator's command; it ends with its connection
	cmd.Dir, cmd.Env = c.Dir, environment(c.Env)
	var theirs []*os.File
	defer func() {
		closeFiles(theirs...)
		if err != nil {
			closeFiles(p.stdin, p.stdout, p.stderr)
		}
	}()
	// exec closes its own pipes when the program ends, while the last output is still being read. So use separate pipes.
	pipe := func() (read, write *os.File) {
		if err == nil {
			read, write, err = os.Pipe()
		}
		return read, write
	}
	in, stdin := pipe()
	stdout, out := pipe()
	stderr, errs := pipe()
	theirs = []*os.File{in, out, errs}
	p.stdin, p.stdout, p.stderr = stdin, stdout, stderr
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	p.Process, err = processgroup.Start(cmd, syscall.SIGTERM)
	if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%w; install the program, or correct the command", err)
	}
	if err != nil {
		return nil, err
	}
	go p.hear(said)
	return p, nil
}

func closeFiles(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // a pipe
		}
	}
}

// maxLast is how many lines of standard error an error quotes when a command has ended.
const maxLast = 3

// hear reads the standard error.
func (p *process) hear(said func(line string)) {
	defer close(p.heard)
	buffered := bufio.NewReaderSize(p.stderr, 4<<10)
	for {
		line, _, err := buffered.ReadLine() // a longer line comes in parts
		if err != nil {
			return
		}
		if text := strings.TrimSpace(string(line)); text != "" {
			p.mu.Lock()
			p.last = append(p.last, text)
			p.last = p.last[max(0, len(p.last)-maxLast):]
			p.mu.Unlock()
			said(text)
		}
	}
}

// end stops the program and everything that it has started: first by closing its input, then by a signal, then by force.
func (p *process) end() error {
	p.ending.Do(func() {
		closeFiles(p.stdin)
		if !within(p.Exited(), patience) {
			p.Terminate()
			if !within(p.Exited(), insist) {
				p.Kill()
			}
		}
		<-p.Exited()
		within(p.heard, insist)        // its last output may still be unread
		closeFiles(p.stdout, p.stderr) // a process that hides may hold them open
		<-p.heard
	})
	return nil
}

// within waits at most limit for an event and reports whether it happened.
func within(happened <-chan struct{}, limit time.Duration) bool {
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	select {
	case <-happened:
		return true
	case <-ctx.Done():
		return false
	}
}

// fate describes how the program ended, or returns "" while it still runs. It waits briefly, because a program's output ends
// before the program does.
func (p *process) fate() string {
	if !within(p.Exited(), insist) {
		return ""
	}
	within(p.heard, insist)
	text := "the server has ended"
	if status, ok := errors.AsType[*exec.ExitError](p.Wait()); ok {
		text = fmt.Sprintf("the server has ended (%s)", status.ProcessState)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.last) > 0 {
		text += ", and said: " + strings.Join(p.last, " / ")
	}
	return text
}

// commandTransport starts a command and connects to it.
type commandTransport struct {
	server *Server
	log    *quota

	mu      sync.Mutex
	process *process
	lines   *lines
}

// Connect starts the command.
func (t *commandTransport) Connect(context.Context) (sdk.Connection, error) {
	p, err := start(&t.server.config, func(line string) { t.log.say("the server says", "text", line) })
	if err != nil {
		return nil, err
	}
	l := newLines(p.stdout, p.stdin, p.end, func(format string, args ...any) {
		t.log.say("what the server wrote was ignored", "reason", fmt.Sprintf(format, args...))
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.process, t.lines = p, l
	return l, nil
}

// end stops the command if it was started.
func (t *commandTransport) end() {
	t.mu.Lock()
	p := t.process
	t.mu.Unlock()
	if p != nil {
		_ = p.end() // never fails
	}
}

// fate describes what was wrong with the command's output or, if nothing was, how the command ended.
func (t *commandTransport) fate() string {
	t.mu.Lock()
	p, l := t.process, t.lines
	t.mu.Unlock()
	if p == nil {
		return ""
	}
	select {
	case <-l.over:
	case <-l.closed:
		<-l.over // closing the connection closes the output too
	default:
		return "" // it still runs
	}
	if !errors.Is(l.fault, io.EOF) {
		return l.fault.Error()
	}
	return p.fate()
}
