//go:build unix

package crash_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
)

// victim is a running child, seen by its parent.
type victim struct {
	t        *testing.T
	command  *exec.Cmd
	lines    *bufio.Reader
	pipe     io.Closer
	answers  io.WriteCloser
	says     bytes.Buffer // its output to the terminal
	watchdog *time.Timer
	killed   bool
}

// stuck is how long a child may live. A child that lives longer must print where it hangs.
const stuck = time.Minute

// start starts a child.
func start(t *testing.T, o order) *victim {
	t.Helper()
	text, err := json.Marshal(o)
	require.NoError(t, err)
	from, to, err := os.Pipe()
	require.NoError(t, err)
	binary, err := os.Executable()
	require.NoError(t, err)
	v := &victim{t: t, command: exec.CommandContext(context.Background(), binary), lines: bufio.NewReader(from), pipe: from}
	v.command.Env = append(os.Environ(), childVariable+"="+string(text))
	v.command.ExtraFiles, v.command.Stdout, v.command.Stderr = []*os.File{to}, &v.says, &v.says
	v.answers, err = v.command.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, v.command.Start())
	require.NoError(t, to.Close())
	v.watchdog = time.AfterFunc(stuck, func() { v.signal(syscall.SIGQUIT) })
	t.Cleanup(func() {
		if v.command.ProcessState == nil { // the test has failed
			v.kill()
			_, _ = v.end()
		}
	})
	return v
}

func (v *victim) signal(s os.Signal) { _ = v.command.Process.Signal(s) } // it may be dead already

func (v *victim) kill() {
	v.killed = true
	v.signal(syscall.SIGKILL)
}

// reports yields the reports of the child until it dies. It ignores an incomplete line.
func (v *victim) reports() iter.Seq[report] {
	return func(yield func(report) bool) {
		for {
			line, err := v.lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var r report
			require.NoError(v.t, json.Unmarshal(line, &r))
			require.NotEqual(v.t, isViolation, r.Kind, r.Text)
			if !yield(r) {
				return
			}
		}
	}
}

// until reads until the child reaches a point, which it must reach.
func (v *victim) until(point string) {
	v.t.Helper()
	for r := range v.reports() {
		if r.Kind == isPoint && strings.HasPrefix(r.Text, point) {
			return
		}
	}
	_, err := v.end()
	require.Fail(v.t, "the child has ended without it", "%s: %v\n%s", point, err, v.says.String())
}

// give gives a child the answers that it waits for. The child may be dead.
func (v *victim) give(answers []host.Answer) {
	replies := make([]reply, len(answers))
	for i, a := range answers {
		replies[i] = reply{a.Interrupt, a.Value, a.By}
	}
	line, err := json.Marshal(replies)
	require.NoError(v.t, err)
	_, _ = v.answers.Write(append(line, '\n'))
}

// goOn lets a holding child continue.
func (v *victim) goOn() {
	_, err := v.answers.Write([]byte{'\n'})
	require.NoError(v.t, err)
}

// end waits for the death of the child, and reports whether it was killed.
func (v *victim) end() (killed bool, err error) {
	_, _ = io.Copy(io.Discard, v.lines)
	err = errors.Join(v.command.Wait(), v.pipe.Close())
	v.watchdog.Stop()
	status, ok := v.command.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL, err
}

// ends waits for a child that is not killed and finishes its work.
func (v *victim) ends() {
	v.t.Helper()
	_, err := v.end()
	require.NoError(v.t, err, v.says.String())
}
