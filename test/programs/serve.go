package programs

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Server is a started `agenthost serve`.
type Server struct {
	URL string // where it listens

	t       *testing.T
	process *exec.Cmd
	reading sync.WaitGroup
	ended   bool
}

// Serve starts `agenthost serve` in a directory, with more variables and arguments, and waits until it listens. The server stops when the test ends, and
// must then end without an error.
func Serve(t *testing.T, dir string, env []string, args ...string) *Server {
	t.Helper()
	bin, err := Build("cmd/agenthost")
	require.NoError(t, err)
	s := &Server{t: t}
	args = append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)
	s.process = exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(bin, "agenthost"), args...) //nolint:gosec // a program of this module
	s.process.Dir, s.process.Env = dir, append(os.Environ(), env...)
	log, err := s.process.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.process.Start())
	t.Cleanup(func() {
		if !s.ended {
			require.NoError(t, s.End(os.Interrupt), "it ends as it should")
		}
	})
	lines := bufio.NewScanner(log)
	var said strings.Builder
	for lines.Scan() {
		var line struct {
			Msg string `json:"msg"`
			At  string `json:"at"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			s.URL = line.At
			s.reading.Go(func() { _, _ = io.Copy(io.Discard, log) }) // a full pipe would stop it
			return s
		}
		said.WriteString(lines.Text() + "\n")
	}
	require.Fail(t, "the server has not started", said.String())
	return nil
}

// End sends a signal to the server, waits until it has ended, and returns the error with which it did.
func (s *Server) End(signal os.Signal) error {
	s.t.Helper()
	s.ended = true
	require.NoError(s.t, s.process.Process.Signal(signal))
	s.reading.Wait()
	return s.process.Wait()
}
