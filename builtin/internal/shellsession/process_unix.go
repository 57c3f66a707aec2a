//go:build linux || darwin

package shellsession

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/agenthost/agenthost/internal/processgroup"
)

// Supported reports whether this operating system has sessions.
const Supported = true

// process is the shell's process.
type process struct {
	*processgroup.Process

	cmd *exec.Cmd
}

func startProcess(config *Config, files [1 + streams]*os.File) (*process, error) {
	argv := limited(config)
	cmd := exec.CommandContext(context.Background(), argv[0], argv[1:]...) //nolint:gosec // running a configured command is the purpose
	cmd.Dir, cmd.Env = config.Dir, append([]string{}, config.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	p, err := processgroup.Start(cmd, syscall.SIGKILL)
	return &process{p, cmd}, err
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

// exitCode returns the status in the form of a shell; -1 if the process has not ended.
func (p *process) exitCode() int {
	select {
	case <-p.Exited():
	default:
		return -1
	}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}
