package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// pty opens a pseudo-terminal: one end for the person, the other one for the program.
func pty(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals here:", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	control := func(request uintptr, value *uint32) {
		connection, err := person.SyscallConn()
		require.NoError(t, err)
		var errno syscall.Errno
		require.NoError(t, connection.Control(func(fd uintptr) {
			_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(unsafe.Pointer(value)))
		}))
		require.Zero(t, errno)
	}
	var number, unlocked uint32
	control(syscall.TIOCGPTN, &number)
	control(syscall.TIOCSPTLCK, &unlocked)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	return person, program
}

// session is a command at a terminal of its own.
type session struct {
	t       *testing.T
	person  *os.File
	command *exec.Cmd
	seen    strings.Builder
	read    int // of what was seen
}

// start starts the command as a process with a terminal.
func start(t *testing.T, env []string, args ...string) *session {
	t.Helper()
	person, program := pty(t)
	s := &session{t: t, person: person, command: exec.CommandContext(t.Context(), os.Args[0], args...)}
	s.command.Env = append(append(os.Environ(), asCommand+"=1"), env...)
	s.command.Stdin, s.command.Stdout, s.command.Stderr = program, program, program
	s.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, s.command.Start())
	require.NoError(t, program.Close())
	return s
}

// expect reads until a text appears after the previously expected one.
func (s *session) expect(text string) {
	s.t.Helper()
	require.NoError(s.t, s.person.SetReadDeadline(time.Now().Add(30*time.Second)))
	buffer := make([]byte, 4096)
	for {
		if at := strings.Index(s.seen.String()[s.read:], text); at >= 0 {
			s.read += at + len(text)
			return
		}
		n, err := s.person.Read(buffer)
		s.seen.Write(buffer[:n])
		require.NoError(s.t, err, "%q is not to be seen:\n%s", text, s.seen.String())
	}
}

func (s *session) typeIn(text string) {
	s.t.Helper()
	_, err := s.person.WriteString(text)
	require.NoError(s.t, err)
}

// exit waits for the end of the command and returns its exit code.
func (s *session) exit() int {
	s.t.Helper()
	rest, _ := io.ReadAll(s.person) // it fails when the other end is closed
	s.seen.Write(rest)
	_ = s.command.Wait()
	return s.command.ProcessState.ExitCode()
}

func TestARealTerminal(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	manifest := b.path("agenthost.yaml")

	s := start(t, nil, "run", "-f", manifest, "--thread", "ada", "note a b")
	s.expect("[r]eject > ")
	s.typeIn("approve\n")
	s.expect("[r]eject > ")
	s.typeIn("\x03") // Ctrl-C
	require.Equal(t, exitWaiting, s.exit(), s.seen.String())
	require.Contains(t, s.seen.String(), "agenthost resume ada -f "+manifest+" --approve call-1 --approve call-2\r\n")
	require.Equal(t, checkpoint.Waiting, b.shown("ada").State)

	s = start(t, nil, "resume", "-f", manifest, "ada")
	s.expect("[r]eject > ")
	s.typeIn("\x04") // the end of the input
	require.Equal(t, exitWaiting, s.exit(), s.seen.String())

	// The first editor gets a Ctrl-C, which must not stop the command, and keeps the text; the second one changes it.
	b.write("edit", "#!/bin/sh\ntrap 'rm -f "+b.path("first")+"; exit 0' INT\nif [ -e "+b.path("first")+" ]; then echo waiting; while :; do sleep 0.05; done; fi\n"+
		"echo '{\"path\": \"edited\", \"content\": \"three\"}' >\"$1\"\n")
	b.write("first", "")
	require.NoError(t, os.Chmod(b.path("edit"), 0o700))
	s = start(t, []string{"VISUAL=" + b.path("edit")}, "resume", "-f", manifest, "ada")
	s.expect("[r]eject > ")
	s.typeIn("e\n")
	s.expect("waiting")
	s.typeIn("\x03")
	s.expect("the arguments are unchanged")
	s.expect("[r]eject > ")
	s.typeIn("e\n")
	s.expect("[r]eject > ")
	s.typeIn("r\nnot this one\n")
	require.Equal(t, exitOK, s.exit(), s.seen.String())
	text, err := os.ReadFile(b.path("data/edited"))
	require.NoError(t, err)
	require.Equal(t, "three", string(text))
}
