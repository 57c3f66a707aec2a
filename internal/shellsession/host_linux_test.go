package shellsession_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/shellsession"
)

// beHost starts a session, tells its process, and waits to be killed.
func beHost() {
	s, err := shellsession.Start(context.Background(), shellsession.Config{
		Command: shells[:1], Dir: "/", Limits: shellsession.Limits{Lines: 9, Bytes: 99}, StartTimeout: patience, StopTimeout: patience,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := s.Run(context.Background(), "echo $$", patience)
	fmt.Print(result.Output, err, "\n")
	select {}
}

// A host that is killed, and can end nothing any more, leaves no shell behind.
func TestTheHostIsKilled(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	host := exec.CommandContext(t.Context(), program)
	host.Env = append(os.Environ(), asHost+"=1")
	said, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	pid := pidOf(t, line)
	require.NoError(t, host.Process.Kill())
	require.Error(t, host.Wait())
	gone(t, pid)
}
