package serverprocess

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Process is a server in a process of its own. Its methods may be called by several goroutines at once.
type Process struct {
	t   testing.TB
	cmd *exec.Cmd
	log string

	// Address is the host and port at which the server listens.
	Address string

	mu   sync.Mutex // of the conversation
	in   io.WriteCloser
	out  *bufio.Reader
	gone bool
}

// Start starts a server, which stops when the test ends.
func Start(t testing.TB, c Config) *Process {
	t.Helper()
	text, err := json.Marshal(c)
	require.NoError(t, err)
	p := &Process{t: t, log: filepath.Join(t.TempDir(), "log")}
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0]) //nolint:gosec // this program, which its input ends
	file, err := os.Create(p.log)
	require.NoError(t, err)
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), variable+"="+string(text), "GOGC=100"), file // tests run with more, and this one's memory is measured
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	require.NoError(t, file.Close())
	t.Cleanup(p.Stop)
	p.out = bufio.NewReader(out)
	line, err := p.out.ReadString('\n')
	require.NoError(t, err, "%s", p.Log())
	p.Address = strings.TrimSpace(line)
	return p
}

// URL returns the address of the server for HTTP clients.
func (p *Process) URL() string { return "http://" + p.Address }

// Stop stops the server, and fails the test if it does not end well. More calls do nothing.
func (p *Process) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return
	}
	p.gone = true
	_ = p.in.Close() // a process that is gone has closed it
	require.NoError(p.t, p.cmd.Wait(), "%s", p.Log())
}

// Log returns what the server has written to its log.
func (p *Process) Log() string {
	text, err := os.ReadFile(p.log)
	require.NoError(p.t, err)
	return string(text)
}

// tell sends a command and reads the answer to it.
func (p *Process) tell(answer any, command string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := fmt.Fprintln(p.in, command)
	require.NoError(p.t, err, "%s", p.Log())
	line, err := p.out.ReadBytes('\n')
	require.NoError(p.t, err, "%s", p.Log())
	require.NoError(p.t, json.Unmarshal(line, answer))
}

// Measure returns what the process uses after a garbage collection.
func (p *Process) Measure() (m Measures) {
	p.t.Helper()
	p.tell(&m, "measure")
	return m
}

// Forget makes [Measures.Peak] begin anew.
func (p *Process) Forget() { p.t.Helper(); p.tell(new(any), "forget") }

// Goroutines returns the stacks of all goroutines, equal ones once.
func (p *Process) Goroutines() (stacks string) {
	p.t.Helper()
	p.tell(&stacks, "goroutines")
	return stacks
}

// ProfileCPU begins a profile of processor time in a file, which lasts until the function that it returns is called.
func (p *Process) ProfileCPU(path string) (end func()) {
	p.t.Helper()
	p.tell(new(any), "cpu "+path)
	return func() { p.t.Helper(); p.tell(new(any), "cpu") }
}

// ProfileAllocations writes what the process has allocated since it began.
func (p *Process) ProfileAllocations(path string) { p.t.Helper(); p.tell(new(any), "allocs "+path) }

// patience is how long a test waits for a process to become calm.
const patience = 30 * time.Second

// RequireCalm waits until the process has at most as many goroutines and descriptors as before, and fails the test with their stacks if that
// does not happen. A few more may belong to the runtime, and to the connections that the pool of a database keeps open.
func (p *Process) RequireCalm(before Measures) Measures {
	p.t.Helper()
	const moreGoroutines, moreDescriptors = 4, 24
	var now Measures
	calm := func() bool {
		now = p.Measure()
		return now.Goroutines <= before.Goroutines+moreGoroutines && now.Descriptors <= before.Descriptors+moreDescriptors
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !calm(); <-tick.C {
		if time.Now().After(deadline) {
			require.Fail(p.t, "the server did not become calm", "before %+v, now %+v\n%s", before, now, p.Goroutines())
		}
	}
	return now
}

// RequireCleanLog fails the test if the log has something else than a line of JSON for each record, or a record of a panic or an error that is not in
// known.
func (p *Process) RequireCleanLog(known ...string) {
	p.t.Helper()
	for line := range strings.Lines(p.Log()) {
		var record struct {
			Level string `json:"level"`
			Msg   string `json:"msg"`
		}
		require.NoError(p.t, json.Unmarshal([]byte(line), &record), "%.500s", line)
		require.NotContains(p.t, line, "goroutine ", "a stack trace")
		require.NotEqual(p.t, "panic", record.Msg, "%.2000s", line)
		if record.Level == "ERROR" {
			require.True(p.t, contains(line, known), "%.2000s", line)
		}
	}
}

func contains(line string, known []string) bool {
	for _, text := range known {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}
